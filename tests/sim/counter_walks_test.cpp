// Cache lines of dependency counters that control cores take from each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/control/intake/counter_walks.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::Optional;

mechanism::ControlLoop loop() {
  mechanism::ControlLoop loop;
  loop.resolve = Nanoseconds{10};
  loop.resolve_line = Nanoseconds{80};
  return loop;
}

/// Tasks 0 to `hubs` - 1, each before all of `leaves` others, whose counters begin with the third line.
TaskGraph hubs_graph(int hubs, int leaves) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 48 + leaves; ++i) builder.add_task("t" + std::to_string(i), {});
  for (int hub = 0; hub < hubs; ++hub) {
    for (int leaf = 0; leaf < leaves; ++leaf) builder.add_edge(task_id(hub), task_id(48 + leaf));
  }
  return std::move(builder).build();
}

class CounterWalk : public testing::Test {
 protected:
  /// When each step of `who` ends that begins where the one before ended, the first at `now`.
  std::vector<std::int64_t> steps(CounterWalks& walks, std::uint32_t who, std::int64_t now) {
    std::vector<std::int64_t> ends;
    while (const auto end = walks.go_on(who, at_ns(now))) ends.push_back(now = to_ns(*end));
    return ends;
  }

  mechanism::ControlLoop loop_ = loop();
};

TEST_F(CounterWalk, ALineComesOnceToWhoHasItToItself) {
  const TaskGraph graph = hubs_graph(2, 4);
  CounterWalks walks(graph.size(), 2, loop_);
  const std::vector<TaskId> both{task_id(0), task_id(1)};
  walks.begin(0, graph, both);
  EXPECT_THAT(steps(walks, 0, 1000), ElementsAre(1120, 1160)) << "80 until it is there, and 10 for each counter, four at a time";
  walks.begin(0, graph, both);
  EXPECT_THAT(steps(walks, 0, 5000), ElementsAre(5040, 5080)) << "it still has it";
  walks.begin(1, graph, both);
  EXPECT_THAT(steps(walks, 1, 9000), ElementsAre(9120, 9160)) << "another has had it";
}

TEST_F(CounterWalk, LongRowsAreToldInStepsThatNobodyCanInterrupt) {
  const TaskGraph graph = hubs_graph(1, 20);
  CounterWalks walks(graph.size(), 2, loop_);
  const std::vector<TaskId> hub{task_id(0)};
  walks.begin(0, graph, hub);
  EXPECT_THAT(steps(walks, 0, 0), ElementsAre(120, 160, 200, 240, 360)) << "four times 4 counters of the line, and 4 of the next";
}

TEST_F(CounterWalk, WhoIsAskedForItsLineGoesOnUntilItGoes) {
  const TaskGraph graph = hubs_graph(2, 16);
  CounterWalks walks(graph.size(), 2, loop_);
  const std::vector<TaskId> first{task_id(0)};
  const std::vector<TaskId> second{task_id(1)};
  walks.begin(0, graph, first);
  walks.begin(1, graph, second);
  EXPECT_THAT(walks.go_on(0, at_ns(0)), Optional(at_ns(120))) << "has it at 80, and tells 4";
  EXPECT_THAT(walks.go_on(1, at_ns(110)), Optional(at_ns(230))) << "asks, has it at 190, and tells 4";
  EXPECT_THAT(walks.go_on(0, at_ns(120)), Optional(at_ns(150))) << "three more until it goes";
  EXPECT_THAT(walks.go_on(0, at_ns(150)), Optional(at_ns(310))) << "asks, has it again at 270, and tells 4 more";
  EXPECT_THAT(walks.go_on(1, at_ns(230)), Optional(at_ns(390))) << "it has gone: asks, has it at 350, and tells 4 more";
}

TEST_F(CounterWalk, WhoHasALineTellsAllThatItsCompletionsHaveThere) {
  const TaskGraph graph = hubs_graph(8, 1);
  CounterWalks walks(graph.size(), 2, loop_);
  const std::vector<TaskId> first{task_id(0), task_id(1), task_id(2), task_id(3)};
  const std::vector<TaskId> second{task_id(4), task_id(5), task_id(6), task_id(7)};
  walks.begin(0, graph, first);
  walks.begin(1, graph, second);
  EXPECT_THAT(walks.go_on(0, at_ns(0)), Optional(at_ns(120)));
  EXPECT_THAT(walks.go_on(1, at_ns(0)), Optional(at_ns(200))) << "it comes at 160, once for all four";
  EXPECT_EQ(walks.go_on(0, at_ns(120)), std::nullopt);
  EXPECT_EQ(walks.go_on(1, at_ns(200)), std::nullopt);
}

TEST_F(CounterWalk, PartsOfNanosecondsAreNotLost) {
  loop_.resolve = Nanoseconds{2.5};
  const TaskGraph graph = hubs_graph(1, 1);
  CounterWalks walks(graph.size(), 2, loop_);
  const std::vector<TaskId> hub{task_id(0)};
  walks.begin(0, graph, hub);
  EXPECT_THAT(steps(walks, 0, 0), ElementsAre(82));
  walks.begin(0, graph, hub);
  EXPECT_THAT(steps(walks, 0, 1000), ElementsAre(1003));
}

TEST_F(CounterWalk, DispatchersOfOneLaneFetchTheirSuccessorsCounters) {
  // a and b begin together, one dispatcher each. a ends at 20, b at 30, c 7 after it begins; the counters of all their successors share a
  // line.
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 30}, {"c", 7}, {"d", 50}, {"e", 5}}, {{0, 2}, {1, 3}, {2, 4}});
  const auto ready = [&graph](int dispatchers) {
    DispatchedWorld world(2, dispatchers);
    world.design.dispatchers = dispatchers;
    world.machine.device_control->resolve_line = Nanoseconds{7};
    return times(world.run(graph), &TaskTimes::ready);
  };
  EXPECT_THAT(ready(1), ElementsAre(0, 0, 20, 30, 27));
  EXPECT_THAT(ready(2), ElementsAre(0, 0, 27, 37, 44)) << "when c ends, the line is on its way to who asked for it at 30";
}

}  // namespace
}  // namespace tasktwin::sim
