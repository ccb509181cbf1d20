// What needs not go through the ready queue, what finding cores for it costs, and when cores that hold a task get another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using World = DispatchedWorld;

TEST(DispatcherPassing, WhatWaitsGoesToIdleCoresBeforeCompletionsAreTakenIn) {
  // a and b are claimed until 10. a ends at 30: c is claimed until 40, then a taken in until 45; a's successor d finds no idle core, enters
  // the queue, and is looked for there until 55, in vain. b has ended at 35: d is claimed for its core until 65, b taken in until 70.
  World world(2);
  world.machine.device_control->claim = Nanoseconds{10};
  world.machine.device_control->complete = Nanoseconds{5};
  const Timeline timeline = world.run(small_graph({{"a", 20}, {"b", 25}, {"c", 50}, {"d", 5}}, {{0, 3}}));
  EXPECT_THAT(times(timeline, &TaskTimes::ready), ElementsAre(0, 0, 0, 45));
  EXPECT_THAT(dispatched(timeline), ElementsAre(10, 10, 55, 70));
}

TEST(DispatcherPassing, WhatPassesTheQueueByIsNotClaimed) {
  World world(4);
  world.machine.device_control->claim = Nanoseconds{50};
  world.machine.device_control->complete = Nanoseconds{5};
  const TaskGraph fork = small_graph({{"a", 20}, {"b", 5}, {"c", 5}, {"d", 5}}, {{0, 1}, {0, 2}, {0, 3}});
  EXPECT_THAT(dispatched(world.run(fork)), ElementsAre(50, 75, 75, 75));
  world.design.placement = Placement::kLeastLoaded;  // looks at what stands in a queue, and locks it
  EXPECT_THAT(dispatched(world.run(fork)), ElementsAre(50, 125, 125, 125));
}

TEST(DispatcherPassing, OneTaskGoesToTheCoreThatMadeItReadyAndOthersTakeATurnEach) {
  World world(4);
  world.machine.device_control->pass_on = Nanoseconds{7};
  EXPECT_THAT(dispatched(world.run(small_graph({{"a", 20}, {"b", 5}}, {{0, 1}}))), ElementsAre(0, 20));
  EXPECT_THAT(dispatched(world.run(small_graph({{"a", 20}, {"b", 5}, {"c", 5}, {"d", 5}}, {{0, 1}, {0, 2}, {0, 3}}))),
              ElementsAre(0, 34, 34, 34));
  // Two that end together pass on side by side.
  EXPECT_THAT(
      dispatched(world.run(small_graph({{"a", 20}, {"b", 20}, {"c", 5}, {"d", 5}, {"e", 5}, {"f", 5}}, {{0, 2}, {0, 3}, {1, 4}, {1, 5}}))),
      ElementsAre(0, 0, 27, 27, 27, 27));
}

TEST(DispatcherPassing, LanesWalkWhatLiesBeyondHeadsOfRows) {
  World world(1);
  world.machine.control_cores.lanes = 32;
  world.machine.device_control->resolve = Nanoseconds{3};
  std::vector<SmallTask> tasks{{"a", 20}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto last_dispatched_after = [&](int successors) {
    while (std::ssize(edges) < successors) {
      tasks.push_back({"t" + std::to_string(tasks.size()), 5});
      edges.emplace_back(0u, static_cast<std::uint32_t>(edges.size()) + 1);
    }
    return dispatched(world.run(small_graph(tasks, edges)))[1];
  };
  EXPECT_EQ(last_dispatched_after(4), 20);
  EXPECT_EQ(last_dispatched_after(5), 20 + 3);
  EXPECT_EQ(last_dispatched_after(4 + 33), 20 + 2 * 3);
}

TEST(DispatcherPassing, NothingPassesTheQueueByWhereOthersMayFillTheSameCores) {
  // a and b are claimed until 30. a has been taken in at 55, b by the other dispatcher at 57. c and d wait in the queue for two idle cores,
  // which both dispatchers look after: each claims one of them for 30. e, ready at 57, waits for c's core, which is taken in at 95.
  World world(2, 2);
  world.design.dispatchers = 2;
  world.design.ownership = Ownership::kShared;
  world.machine.device_control->claim = Nanoseconds{30};
  world.machine.device_control->complete = Nanoseconds{5};
  const Timeline timeline = world.run(small_graph({{"a", 20}, {"b", 22}, {"c", 5}, {"d", 5}, {"e", 5}}, {{0, 2}, {0, 3}, {1, 4}}));
  EXPECT_THAT(times(timeline, &TaskTimes::ready), ElementsAre(0, 0, 55, 55, 57));
  EXPECT_THAT(dispatched(timeline), ElementsAre(30, 30, 85, 87, 125));
  for (const TaskTimes& task : timeline.tasks) EXPECT_TRUE(is_present(task.published));
}

TEST(DispatcherFillingAhead, CoresGetTasksThatStandNextToEachOtherWhereThereAreEnough) {
  World world(2);
  world.design.mailbox_depth = 3;
  world.design.fill = Fill::kWhenNoCoreIdle;
  world.machine.device_control->claim = Nanoseconds{10};
  const Timeline all = world.run(independent(6, 100));
  EXPECT_THAT(cores(all), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(dispatched(all), ElementsAre(10, 10, 10, 10, 10, 10));
  EXPECT_THAT(cores(world.run(independent(5, 100))), ElementsAre(0, 1, 0, 1, 0)) << "not enough";
  EXPECT_THAT(dispatched(world.run(independent(2, 100))), ElementsAre(10, 10)) << "none is given ahead";
}

TEST(DispatcherFillingAhead, OthersKnowOfIdleCoresAsTheLastIterationLeftThem) {
  // Each of two dispatchers sees the other's core idle until 10, when both have handed over once.
  World world(2, 2);
  world.design.mailbox_depth = 2;
  world.design.dispatchers = 2;
  world.design.fill = Fill::kWhenNoCoreIdle;
  world.machine.device_control->dispatch = Nanoseconds{10};
  const Timeline timeline = world.run(independent(4, 100));
  EXPECT_THAT(dispatched(timeline), ElementsAre(10, 10, 20, 20));
  EXPECT_THAT(cores(timeline), ElementsAre(0, 1, 0, 1));
}

}  // namespace
}  // namespace tasktwin::sim
