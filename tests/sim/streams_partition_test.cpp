// Kernels of two shares of the cores, calculated by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/observed_blocks.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

struct SmallKernel {
  Kernel kernel;
  std::int64_t time_ns;
  TaskTraits traits = {};
};

TaskGraph kernels(const std::vector<SmallKernel>& all) {
  TaskGraphBuilder builder;
  for (const SmallKernel& one : all) {
    Task task{.cost = {.time = Duration{one.time_ns}}, .kernel = one.kernel};
    task.traits = builder.add_traits(one.traits);
    builder.add_task(std::string(1, static_cast<char>('a' + builder.size())), task);
  }
  return std::move(builder).build();
}

Timeline run(const TaskGraph& graph, const Machine& machine, int partition) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kPerTaskType;
  design.partition = partition;
  return simulate(graph, machine, design).timeline;
}

TEST(Partition, GivesBlocksTheCoresOfTheirShareOnly) {
  // Four cores: a's four blocks have the first two, b's four the last two.
  const TaskGraph graph = kernels({{Kernel::kFma, 100, {.blocks = 4}}, {Kernel::kSpin, 30, {.blocks = 4}}});
  const Timeline halves = run(graph, plain_machine(4), 50);
  EXPECT_THAT(cores_of(halves, 0), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(cores_of(halves, 1), ElementsAre(2, 2, 3, 3));
  EXPECT_THAT(starts(halves), ElementsAre(0, 0));
  EXPECT_EQ(to_ns(halves.tasks[0].ended), 200);
  EXPECT_EQ(to_ns(halves.tasks[1].ended), 60);
  // A quarter: a has one core.
  const Timeline quarter = run(graph, plain_machine(4), 25);
  EXPECT_THAT(cores_of(quarter, 0), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(to_ns(quarter.tasks[0].ended), 400);
  EXPECT_EQ(to_ns(quarter.tasks[1].ended), 60);
  // Undivided, a has all four first.
  const Timeline whole = run(graph, plain_machine(4), 0);
  EXPECT_THAT(starts(whole), ElementsAre(0, 100));
  EXPECT_EQ(to_ns(whole.tasks[1].ended), 130);
}

TEST(Partition, IsRoundedUpToTheMachinesGroups) {
  Machine machine = plain_machine(6);
  machine.launch_limits.partition_granularity = 4;
  const TaskGraph graph = kernels({{Kernel::kGemm, 100, {.blocks = 5}}, {Kernel::kStream, 10, {.blocks = 3}}});
  const Timeline timeline = run(graph, machine, 10);  // 0.6 of six: one group of four
  EXPECT_THAT(cores_of(timeline, 0), ElementsAre(0, 0, 1, 2, 3));
  EXPECT_THAT(cores_of(timeline, 1), ElementsAre(4, 4, 5));
}

TEST(Partition, BlocksLeftOverHoldUpTheirOwnShareOnly) {
  // One core each: a's second block waits for its first, and c, of the same share, for both; b does not.
  const TaskGraph graph = kernels({{Kernel::kFma, 100, {.blocks = 2}}, {Kernel::kSpin, 10}, {Kernel::kGemm, 10}});
  EXPECT_THAT(starts(run(graph, plain_machine(2), 50)), ElementsAre(0, 0, 200));
}

TEST(Partition, LeavesResidentKernelsToBothShares) {
  Machine machine = plain_machine(2);
  machine.launch_limits.resident_kernels = 1;
  const TaskGraph graph = kernels({{Kernel::kFma, 100}, {Kernel::kSpin, 10}});
  EXPECT_THAT(starts(run(graph, machine, 50)), ElementsAre(0, 100));
  machine.launch_limits.resident_kernels = 2;
  EXPECT_THAT(starts(run(graph, machine, 50)), ElementsAre(0, 0));
}

TEST(Partition, DividesEachReplayAlike) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kPerTaskType;
  design.partition = 50;
  design.replays = 2;
  const TaskGraph graph = kernels({{Kernel::kFma, 100, {.blocks = 2}}, {Kernel::kSpin, 30}});
  const Timeline timeline = simulate(graph, plain_machine(2), design).timeline;
  EXPECT_THAT(starts(timeline), ElementsAre(200, 200));
  EXPECT_THAT(cores_of(timeline, 0), ElementsAre(0, 0));
}

}  // namespace
}  // namespace tasktwin::sim
