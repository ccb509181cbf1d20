// Workers with frozen lists and a queue beside them, with lists that thieves take from, and with shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/worker_queue_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

Design frozen_with_stealing() {
  Design design = stealing(Stealing::kOne);
  design.placement = Placement::kRoundRobin;
  return design;
}

TEST(StaticQueuesThatSteal, IdleWorkerTakesFromTheEndOfAnothersList) {
  const TaskGraph graph = small_graph({{"0", 100}, {"1", 10}, {"2", 10}, {"3", 10}, {"4", 10}});  // worker 0 has 0, 2, 4
  const Timeline timeline = run(graph, plain_machine(2), frozen_with_stealing());
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(starts_of(timeline), ElementsAre(0, 0, 30, 10, 20));
}

TEST(StaticQueuesThatSteal, ReadyTaskOvertakesOneOfTheListThatIsNot) {
  // Worker 0 has 0, 2, 4; 2 waits for 1, on worker 1. Worker 1 steals nothing: it has 3 as well.
  const TaskGraph graph = small_graph({{"0", 10}, {"1", 100}, {"2", 10}, {"3", 10}, {"4", 300}}, {{1, 2}});
  EXPECT_EQ(to_ns(run(graph, plain_machine(2), frozen_with_stealing()).tasks[4].started), 10);
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;
  EXPECT_EQ(to_ns(run(graph, plain_machine(2), design).tasks[4].started), 110);
}

TEST(StaticQueuesThatSteal, TaskStandsWhereItsListIsWhoeverReleasedIt) {
  Machine machine = plain_machine(2);
  machine.ready_queues->list_hop = Nanoseconds{7};
  Design design = frozen_with_stealing();
  const TaskGraph graph = small_graph({{"0", 10}, {"1", 10}}, {{0, 1}});
  const Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 10);
  // Worker 0, free at 10, sees it at once; worker 1, whose list it is in, would at 17.
  EXPECT_EQ(timeline.tasks[1].core, core_id(0));
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 10);
}

TEST(Hybrid, FirstTasksFollowTheirListsTheOthersGoToWhoeverIsFree) {
  const TaskGraph graph = small_graph({{"0", 100}, {"1", 10}, {"2", 10}, {"3", 10}});
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), hybrid(50))), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), hybrid(75))), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), hybrid(100))), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), hybrid(0))), ElementsAre(0, 1, 1, 1));
}

TEST(Hybrid, AnOwnerThatWaitsComesAcrossATaskAtAMomentOfItsRound) {
  Machine machine = plain_machine(2);
  machine.ready_queues->list_take = Nanoseconds{100};
  machine.ready_queues->list_hop = Nanoseconds{400};
  double sum = 0;
  constexpr int kSeeds = 400;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Timeline timeline = run(small_graph({{"a", 1000}, {"b", 10}}, {{0, 1}}), machine, hybrid(100), static_cast<std::uint64_t>(seed));
    const std::int64_t hop = to_ns(timeline.tasks[1].started - timeline.tasks[1].ready);
    EXPECT_GE(hop, 350);
    EXPECT_LE(hop, 450);
    sum += static_cast<double>(hop);
  }
  EXPECT_NEAR(sum / kSeeds, 400, 5);
}

TEST(Hybrid, WhatNoListHasIsPushedFirst) {
  Machine machine = plain_machine(2);
  machine.resident_cores->release = Nanoseconds{3};
  machine.resident_cores->push = Nanoseconds{20};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}}, {{0, 1}});
  EXPECT_EQ(to_ns(run(graph, machine, hybrid(100)).tasks[1].started), 13);
  EXPECT_EQ(to_ns(run(graph, machine, hybrid(50)).tasks[1].started), 13 + 20);
}

TEST(Hybrid, SharedQueueIsClaimedFromByAnAtomicOperation) {
  Machine machine = plain_machine(2);
  machine.ready_queues->list_take = Nanoseconds{26};
  machine.memory->atomic_service = Nanoseconds{4};
  machine.memory->read_latency = Nanoseconds{3};
  const TaskGraph graph = small_graph({{"0", 500}, {"1", 10}, {"2", 10}, {"3", 10}});
  Design design = hybrid(50);
  Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 26);
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 36 + 4);
  EXPECT_EQ(to_ns(timeline.tasks[2].received), 40 + 26);
  EXPECT_EQ(to_ns(timeline.tasks[3].dispatched), 76 + 4);
  design.claim = Claim::kFixed;
  design.claim_size = 2;
  timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[2].received), 66);
  EXPECT_EQ(to_ns(timeline.tasks[3].dispatched), 76);  // claimed before
  EXPECT_EQ(to_ns(timeline.tasks[3].received), 82);
}

TEST(Hybrid, OrderHoldsForTheSharedQueue) {
  TaskGraphBuilder builder;
  for (const int priority : {0, 9, 1, 5}) {
    builder.add_task("p" + std::to_string(priority), {.cost = {.time = Duration{10}}, .priority = priority});
  }
  Design design = hybrid(50);
  design.order = TaskOrder::kPriority;
  EXPECT_THAT(starts_of(run(std::move(builder).build(), plain_machine(1), design)), ElementsAre(0, 10, 30, 20));
}

TEST(Hybrid, ListsAreStolenFromOnceTheSharedQueueIsEmpty) {
  const TaskGraph graph = small_graph({{"0", 100}, {"1", 10}, {"2", 10}, {"3", 10}});
  Design design = hybrid(75);  // worker 0 has 0 and 2, worker 1 has 1; 3 is shared
  design.stealing = Stealing::kOne;
  const Timeline timeline = run(graph, plain_machine(2), design);
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(starts_of(timeline), ElementsAre(0, 0, 20, 10));
}

TEST(ShardsThatAreStolenFrom, ClaimAtHomeFirstThenATheftFromAnother) {
  Machine machine = plain_machine(4);
  machine.ready_queues->take = Nanoseconds{20};
  machine.ready_queues->steal_hop = Nanoseconds{7};
  Design design = stealing(Stealing::kOne);
  design.ready_queue = ReadyQueue::kSharded;
  design.shards = 2;  // workers 0 and 2, 1 and 3
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 100}, {"c", 100}, {"d", 100}}, {{0, 1}, {0, 2}, {0, 3}});
  const Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[0].received), 20);
  // At 30 a's successors stand in shard 0: worker 0 claims, and 2 of those who have looked all the time have one each: 2, and 1 or 3.
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 0, 2, AnyOf(1u, 3u)));
  EXPECT_THAT(starts_of(timeline), ElementsAre(20, 50, AllOf(Ge(37), Le(57)), AllOf(Ge(37), Le(57))));
}

}  // namespace
}  // namespace tasktwin::sim
