// Graphs launched on the device, against times worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Machine graph_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.device_graph_launch->launch = Nanoseconds{10};
  machine.device_graph_launch->latency = Nanoseconds{30};
  return machine;
}

Design graphs(LaunchMode mode, int claim) {
  Design design = named_design("device-graph-launch");
  design.launch_mode = mode;
  design.claim_size = claim;
  return design;
}

TEST(DeviceGraphLaunch, BatchesGoOutOneAfterTheOther) {
  const Timeline timeline = simulate(independent(5, 5), graph_machine(8), graphs(LaunchMode::kFireAndForget, 2)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(0, 0, 10, 10, 20));
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(30, 30, 40, 40, 50));
}

TEST(DeviceGraphLaunch, GuidedBatchesAreHalfOfWhatIsUnclaimedReadyOrNotAndFillTheMachineAtMost) {
  Design design = graphs(LaunchMode::kFireAndForget, 1);
  design.claim = Claim::kGuided;
  const TaskGraph graph = small_graph({{"a", 500}, {"b", 500}, {"c", 500}, {"d", 5}, {"e", 5}, {"f", 5}}, {{0, 3}, {1, 4}, {2, 5}});
  std::vector<std::int64_t> first = times(simulate(graph, graph_machine(8), design).timeline, &TaskTimes::dispatched);
  first.resize(3);
  EXPECT_THAT(first, ElementsAre(0, 0, 0)) << "six are unclaimed";
  EXPECT_THAT(times(simulate(independent(7, 5), graph_machine(2), design).timeline, &TaskTimes::dispatched),
              ElementsAre(0, 0, 10, 10, 20, 30, 40));
}

TEST(DeviceGraphLaunch, AGraphLaunchedForTheFirstTimeTakesLongerWhereTheCacheIsEmpty) {
  Machine machine = graph_machine(8);
  machine.memory_limits.cache = 100;
  machine.device_graph_launch->uncached_launch = Nanoseconds{7};
  const auto graph = [](Kernel kernel) {
    TaskGraphBuilder builder;
    for (int i = 0; i <= kMostGraphLaunches; ++i) builder.add_task("t" + std::to_string(i), {.kernel = kernel});
    return std::move(builder).build();
  };
  const Timeline timeline = simulate(graph(Kernel::kStream), machine, graphs(LaunchMode::kFireAndForget, 1)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[0].started), 30);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 10 + 7);
  const TaskTimes& again = timeline.tasks[kMostGraphLaunches];
  EXPECT_EQ(to_ns(again.started - again.dispatched), 30);
  EXPECT_EQ(to_ns(simulate(graph(Kernel::kEmpty), machine, graphs(LaunchMode::kFireAndForget, 1)).timeline.tasks[0].started), 30);
}

TEST(DeviceGraphLaunch, AnIdleSchedulerLaunchesASuccessorAtItsNextLook) {
  Machine machine = graph_machine(2);
  machine.streams->launch_latency = Nanoseconds{100};
  machine.launched_kernels->release = Nanoseconds{3};
  machine.device_graph_launch->look = Nanoseconds{4};
  const Timeline timeline =
      simulate(small_graph({{"a", 50}, {"b", 50}}, {{0, 1}}), machine, graphs(LaunchMode::kFireAndForget, 1)).timeline;
  // b can be seen from 183 on; the looks are at 110, 114 and so on, and the launch begins 4 after the one at 186.
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(130, 220));
  EXPECT_THAT(times(timeline, &TaskTimes::ready), ElementsAre(0, 183));
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(100, 190));
}

TEST(DeviceGraphLaunch, TheSchedulerLooksBeforeEachLaunch) {
  Machine machine = graph_machine(8);
  machine.device_graph_launch->look = Nanoseconds{3};
  const Timeline timeline = simulate(independent(5, 5), machine, graphs(LaunchMode::kFireAndForget, 2)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(3, 3, 16, 16, 29));
}

TEST(DeviceGraphLaunch, AfterAsManyGraphsAsAnExecutionMayLaunchItAwaitsThemAll) {
  const TaskGraph graph = independent(kMostGraphLaunches + 1, 5);
  const Timeline drained = simulate(graph, graph_machine(200), graphs(LaunchMode::kFireAndForget, 1)).timeline;
  EXPECT_EQ(to_ns(drained.tasks[119].dispatched), 1190);
  EXPECT_EQ(to_ns(drained.tasks[119].ended), 1225);
  EXPECT_EQ(to_ns(drained.tasks[120].dispatched), 1255);
}

TEST(DeviceGraphLaunch, SiblingsCountWithTheHostsLaunchWhichFollowsWhenAllHaveEnded) {
  std::vector<SmallTask> tasks{{"long", 5000}};
  for (int i = 1; i <= kMostGraphLaunches; ++i) tasks.push_back({"t" + std::to_string(i), 5});
  Machine machine = graph_machine(200);
  machine.host_calls->sync_latency = Nanoseconds{300};
  machine.streams->launch_latency = Nanoseconds{40};
  const Timeline timeline = simulate(small_graph(tasks), machine, graphs(LaunchMode::kSibling, 1)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[0].ended), 40 + 5030);
  EXPECT_EQ(to_ns(timeline.tasks[119].dispatched), 40 + 1190);
  EXPECT_EQ(to_ns(timeline.tasks[120].dispatched), 40 + 5030 + 340);
}

TEST(DeviceGraphLaunch, GraphsBehindTheSchedulerRunOneAfterTheOther) {
  const Timeline apart = simulate(independent(3, 5), graph_machine(4), graphs(LaunchMode::kTail, 2)).timeline;
  EXPECT_THAT(times(apart, &TaskTimes::dispatched), ElementsAre(0, 0, 10));
  EXPECT_THAT(times(apart, &TaskTimes::started), ElementsAre(50, 50, 85));
  const Timeline chained = simulate(small_graph({{"a", 5}, {"b", 5}}, {{0, 1}}), graph_machine(4), graphs(LaunchMode::kTail, 2)).timeline;
  EXPECT_THAT(times(chained, &TaskTimes::dispatched), ElementsAre(0, 75));
  EXPECT_THAT(times(chained, &TaskTimes::started), ElementsAre(40, 115));
}

TEST(LaunchesOnTheDevice, TakeTasksOfOneCoreTypeOnly) {
  Machine machine = plain_machine(2);
  machine.compute_cores = {{CoreType::kAic, 2}, {CoreType::kAiv, 2}};
  const TaskGraph graph = small_graph({{"a", 5, 0, CoreType::kAic}, {"b", 5, 0, CoreType::kAiv}});
  for (const char* name : {"dynamic-parallelism", "device-graph-launch"}) {
    EXPECT_THAT([&] { simulate(graph, machine, named_design(name)); },
                ThrowsMessage<InputError>(HasSubstr("task 'b' asks for cores of another type")));
  }
}

}  // namespace
}  // namespace tasktwin::sim
