#include "verify/gpu_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(GpuSupport, HasAnExecutorForNamedDesignsAndAxesOfTheirs) {
  for (const char* name : {"cuda-streams", "central-dispatcher", "static-queues", "shared-queue", "layer-barrier"}) {
    EXPECT_EQ(why_no_executor(tests::diamond(), named_design(name)), std::nullopt) << name;
  }
  Design changed = named_design("central-dispatcher");
  changed.dispatchers = 3;
  changed.mailbox_depth = 1;
  changed.fill = Fill::kAlways;
  EXPECT_EQ(why_no_executor(tests::diamond(), changed), std::nullopt);
  changed = named_design("static-queues");
  changed.placement = Placement::kRoundRobin;
  EXPECT_EQ(why_no_executor(tests::diamond(), changed), std::nullopt);
  changed = named_design("cuda-streams");
  changed.stream_granularity = StreamGranularity::kListScheduled;
  changed.stream_wait = StreamWait::kCallback;
  changed.replays = 3;
  EXPECT_EQ(why_no_executor(tests::diamond(), changed), std::nullopt);
  changed = named_design("cuda-graph");
  changed.graph_source = GraphSource::kCapture;
  changed.replays = 2;
  changed.graph_update = GraphUpdate::kReinstantiate;
  EXPECT_EQ(why_no_executor(tests::diamond(), changed), std::nullopt);
  changed = named_design("layer-barrier");
  changed.backoff_ns = 100;
  changed.placement = Placement::kHeft;
  EXPECT_EQ(why_no_executor(tests::diamond(), changed), std::nullopt);
}

TEST(GpuSupport, NamesTheAxisThatNoExecutorHas) {
  for (const auto& [name, axis] : {std::pair{"work-stealing", "ready_queue is 'per_worker'"},
                                   {"hybrid", "ready_queue is 'per_worker_and_shared'"},
                                   {"ascend-host-built", "ready_queue is 'per_core_type'"}}) {
    EXPECT_THAT(why_no_executor(tests::diamond(), named_design(name)), Optional(HasSubstr(axis))) << name;
  }
  Design design = named_design("central-dispatcher");
  design.fill = Fill::kNotInTail;
  EXPECT_THAT(why_no_executor(tests::diamond(), design), Optional(HasSubstr("fill is 'not_in_tail'")));
  design = named_design("central-dispatcher");
  design.resolvers = 1;
  EXPECT_THAT(why_no_executor(tests::diamond(), design), Optional(HasSubstr("resolvers is '1'")));
}

TEST(GpuSupport, NamesTheTaskThatNoExecutorRuns) {
  const auto refusal = [](const TaskTraits& traits, const char* design = "shared-queue") {
    TaskGraphBuilder builder;
    Task task;
    task.traits = builder.add_traits(traits);
    builder.add_task("odd", task);
    return why_no_executor(std::move(builder).build(), named_design(design));
  };
  EXPECT_EQ(refusal({}), std::nullopt);
  TaskTraits traits;
  traits.blocks = 2;
  EXPECT_THAT(refusal(traits), Optional(HasSubstr("task 'odd' has several blocks")));
  EXPECT_EQ(refusal(traits, "cuda-streams"), std::nullopt);
  traits = {};
  traits.probability = 0.5;
  EXPECT_THAT(refusal(traits), Optional(HasSubstr("task 'odd' has a predicate")));
}

}  // namespace
}  // namespace tasktwin::verify
