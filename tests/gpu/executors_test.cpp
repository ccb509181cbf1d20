// What every executor must do, on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Executors : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  Design design() const { return design_for(GetParam()); }
  bool persistent() const { return design().driver == Driver::kPersistent; }

  Machine machine_;
};

TEST_P(Executors, RunEveryTaskAfterItsPredecessors) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const TaskGraph graph = random_graph(persistent() ? 20'000 : 2'000, 300, 2us, seed);
    const Measurement measured = run(graph, machine_, design(), {.repeats = 2});
    EXPECT_EQ(measured.ordering_violations, 0);
    EXPECT_EQ(measured.makespans.size(), 2u);
    EXPECT_EQ(stamp_fault(graph, measured.timeline, persistent()), "") << seed;
  }
}

TEST_P(Executors, RunOnAnyNumberOfWorkers) {
  if (!persistent()) GTEST_SKIP() << "the hardware chooses where kernels run";
  const Design quick = quickly_placed(design());
  const TaskGraph graph = random_graph(5'000, 100, 1us, 4);
  for (const int workers : {1, 2, 17, 132}) {
    const Machine machine = machine_of(workers, quick);
    const Measurement measured = run(graph, machine, quick, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << workers;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << workers;
    EXPECT_EQ(measured.timeline.cores.size(), worker_cores(quick, machine).size()) << workers;
  }
}

TEST_P(Executors, KeepUpWithMailboxesOfAnyDepth) {
  if (!persistent()) GTEST_SKIP() << "kernels have no mailboxes";
  Design changed = quickly_placed(design());
  const TaskGraph graph = random_graph(5'000, 200, 500ns, 5);
  for (const int depth : {1, 2, 3, kMaxMailboxDepth}) {
    changed.mailbox_depth = depth;
    if (why_unsupported(graph, machine_, changed)) continue;  // said by name, and tested there
    const Measurement measured = run(graph, machine_, changed, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << depth;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << depth;
  }
}

TEST_P(Executors, GetRealNumbersRight) {
  for (const char* scenario : {"cholesky", "llama-1b-decode"}) {
    const scenarios::Scenario loaded = scenarios::load_scenario(scenario);
    const Measurement measured = run(loaded.graph, loaded.machine, design(), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << scenario;
    ASSERT_TRUE(measured.residual.has_value()) << scenario;
    EXPECT_LE(*measured.residual, measured.residual_limit) << scenario;
  }
}

TEST_P(Executors, RunWithoutStampsAndWithoutChecksGivesMakespansAlone) {
  const Measurement measured = run(chain(50), machine_, design(), {.repeats = 3, .order_checks = 0, .stamps = false});
  EXPECT_EQ(measured.makespans.size(), 3u);
  EXPECT_TRUE(measured.stamped_makespans.empty());
  EXPECT_TRUE(measured.timeline.tasks.empty());
  for (const Duration makespan : measured.makespans) EXPECT_GT(makespan, 0ns);
}

TEST_P(Executors, AGraphOfOneTaskRuns) {
  const Measurement measured = run(chain(1), machine_, design(), {.repeats = 1});
  EXPECT_GT(measured.makespans.front(), 0ns);
  EXPECT_EQ(measured.ordering_violations, 0);
}

INSTANTIATE_TEST_SUITE_P(Designs, Executors, testing::ValuesIn(kExecutors), [](const auto& test) { return plain_name(test.param); });

TEST(ExecutorRefusals, AreMadeBeforeAnythingStarts) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  TaskGraphBuilder builder;
  Task varying;
  varying.cost.sigma_ns = 5;
  builder.add_task("varying", varying);
  EXPECT_THROW(run(std::move(builder).build(), machine, named_design("static-queues"), {}), InputError);
  Machine larger = machine;
  larger.compute_cores = {{CoreType::kSm, 4096}};
  EXPECT_THROW(run(chain(2), larger, named_design("static-queues"), {}), InputError);
  EXPECT_THROW(run(TaskGraph{}, machine, named_design("static-queues"), {}), InputError);
}

}  // namespace
}  // namespace tasktwin::gpu
