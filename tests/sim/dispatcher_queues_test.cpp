// What dispatchers read of a Design, on graphs small enough to follow by hand; constants are zero unless set:
// ready queues, claims and stealing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using World = DispatchedWorld;

// --- ready queues ---

/// A task for each of two cores of different types, each owned by its own dispatcher; a queue operation takes 10.
struct TwoTypes : World {
  TwoTypes() : World(1, 2) {
    machine.compute_cores = {{.type = CoreType::kAic, .count = 1}, {.type = CoreType::kAiv, .count = 1}};
    machine.ready_queues->service = Nanoseconds{10};
  }
  TaskGraph graph = small_graph({{"a", 20, 0, CoreType::kAic}, {"b", 20, 0, CoreType::kAiv}});
};

TEST(DispatcherQueues, OperationsOnOneSharedQueueWaitForEachOther) {
  const TwoTypes world;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 20));
}

TEST(DispatcherQueues, EachCoreTypesQueueIsHeldByItself) {
  TwoTypes world;
  world.design.ready_queue = ReadyQueue::kPerCoreType;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 10));
}

TEST(DispatcherQueues, ShardsAreHeldByThemselves) {
  TwoTypes world;
  world.design.ready_queue = ReadyQueue::kSharded;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 10));
  world.design.shards = 1;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 20));
}

TEST(DispatcherQueues, WhoLooksBeforeItTakesHoldsAQueueForLonger) {
  TwoTypes world;
  world.machine.device_control->locked_queue = Nanoseconds{5};
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 20));
  world.design.placement = Placement::kLeastLoaded;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(15, 30));
  world.design.placement = Placement::kAnyIdle;
  world.design.ready_queue = ReadyQueue::kSharded;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(15, 15));
}

TEST(DispatcherQueues, WhoHadToWaitHoldsALockedQueueForLonger) {
  TwoTypes world;
  world.machine.device_control->queue_contention = Nanoseconds{4};
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 20)) << "no lock";
  world.design.placement = Placement::kLeastLoaded;
  EXPECT_THAT(dispatched(world.run(world.graph)), ElementsAre(10, 24));
}

TEST(DispatcherQueues, PushesOfOneIterationAreOneOperation) {
  World world(1);
  world.machine.ready_queues->service = Nanoseconds{10};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 5}, {"c", 5}, {"d", 5}}, {{0, 1}, {0, 2}, {0, 3}});
  const Timeline timeline = world.run(graph);
  // Claimed at 10, ends at 30; b is for the core that a leaves idle, the others are pushed until 40.
  EXPECT_THAT(times(timeline, &TaskTimes::ready), ElementsAre(0, 30, 40, 40));
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 40);
}

/// Two dispatchers with a core each; a on the first makes eight tasks of 100 ready at 10.
struct FanOut : World {
  FanOut() : World(2, 2) {
    design.ready_queue = ReadyQueue::kPerDispatcher;
    machine.ready_queues->steal = Nanoseconds{5};
    design.victim = Victim::kNext;
  }
  static TaskGraph make() {
    std::vector<SmallTask> tasks{{"a", 10}};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t i = 1; i <= 8; ++i) {
      tasks.push_back({"t" + std::to_string(i), 100});
      edges.emplace_back(0, i);
    }
    return small_graph(tasks, edges);
  }
  TaskGraph graph = make();
};

TEST(DispatcherQueues, WhatADispatcherReleasesStaysWithItsCores) {
  FanOut world;
  world.design.victim = Victim::kRandom;
  const Timeline timeline = world.run(world.graph);
  EXPECT_THAT(cores(timeline), testing::Each(0u));
  EXPECT_EQ(timeline.makespan(), Duration{10 + 800});
}

TEST(DispatcherStealing, OneTaskAtATime) {
  FanOut world;
  world.design.stealing = Stealing::kOne;
  const Timeline timeline = world.run(world.graph);
  EXPECT_EQ(to_ns(timeline.tasks[8].dispatched), 15);  // the thief takes the last of the queue
  EXPECT_EQ(index(timeline.tasks[8].core), 1u);
  EXPECT_EQ(steps(timeline, 1, StepKind::kSteal), 4);  // t8 at 10; then at 115, 220 and 325
  EXPECT_EQ(timeline.makespan(), Duration{325 + 5 + 100});
}

TEST(DispatcherStealing, HalfOfTheQueue) {
  FanOut world;
  world.design.stealing = Stealing::kHalf;  // four of the seven left
  const Timeline timeline = world.run(world.graph);
  EXPECT_EQ(steps(timeline, 1, StepKind::kSteal), 1);
  EXPECT_EQ(timeline.makespan(), Duration{15 + 400});
}

TEST(DispatcherStealing, ABatch) {
  FanOut world;
  world.design.stealing = Stealing::kBatch;
  world.design.steal_batch = 3;  // three at 10, the last one at 315
  const Timeline timeline = world.run(world.graph);
  EXPECT_EQ(steps(timeline, 1, StepKind::kSteal), 2);
  EXPECT_EQ(timeline.makespan(), Duration{320 + 100});
}

TEST(DispatcherStealing, FailedAttemptsCostTime) {
  World world(3, 3);
  world.design.ready_queue = ReadyQueue::kPerDispatcher;
  world.design.stealing = Stealing::kOne;
  world.design.victim = Victim::kNext;
  world.machine.device_control->hop = Nanoseconds{3};
  const Timeline timeline = world.run(independent(1, 50));
  EXPECT_EQ(timeline.steps[1].front(), (Step{at_ns(0), at_ns(6), StepKind::kSteal}));  // two others, both empty
}

TEST(DispatcherClaims, FixedGuidedOrAll) {
  World world(4);
  world.machine.ready_queues->service = Nanoseconds{10};
  world.machine.device_control->dispatch = Nanoseconds{1};
  const TaskGraph graph = independent(4, 900);
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 13, 14));
  world.design.claim = Claim::kFixed;
  world.design.claim_size = 2;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 23, 24));
  world.design.claim = Claim::kGuided;  // of 4, 2 and 1 left: 2, 1 and 1
  world.design.claim_size = 1;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 23, 34));
}

TEST(DispatcherClaims, GuidedOnesDivideWhatIsUnclaimedOfTheRunReadyOrNot) {
  World world(4);
  world.machine.ready_queues->service = Nanoseconds{10};
  world.machine.device_control->dispatch = Nanoseconds{1};
  world.design.claim = Claim::kGuided;
  // Eight unclaimed: the four that are ready are one claim.
  const TaskGraph graph = small_graph({{"a", 900}, {"b", 900}, {"c", 900}, {"d", 900}, {"e", 9}, {"f", 9}, {"g", 9}, {"h", 9}},
                                      {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  std::vector<std::int64_t> first = dispatched(world.run(graph));
  first.resize(4);
  EXPECT_THAT(first, ElementsAre(11, 12, 13, 14));
}

}  // namespace
}  // namespace tasktwin::sim
