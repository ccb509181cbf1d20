// The edges of time of static-queues and shared-queue.
#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design) { return simulate(graph, machine, design).timeline; }

Design round_robin(int depth) {
  Design design = with_depth("static-queues", depth);
  design.placement = Placement::kRoundRobin;
  return design;
}

TEST(StaticQueuesEdges, TaskWithoutPredecessorsIsReadFromTheListAlone) {
  Machine machine = plain_machine(1);
  machine.resident_cores->list_read = Nanoseconds{7};
  machine.memory->read_latency = Nanoseconds{9};
  EXPECT_EQ(to_ns(run(small_graph({{"a", 20}}), machine, round_robin(1)).tasks[0].received), 7);
}

/// a on core 0, b on core 1, waiting for a, whose completion is written at 30. b's fetch begins at 0.
Timeline two_cores(double look, double counter_hop) {
  Machine machine = plain_machine(2);
  machine.resident_cores->list_read = Nanoseconds{look}, machine.memory->read_latency = Nanoseconds{look / 2};
  machine.resident_cores->counter_hop = Nanoseconds{counter_hop};
  return run(small_graph({{"a", static_cast<std::int64_t>(30 - look)}, {"b", 10}}, {{0, 1}}), machine, round_robin(1));
}

TEST(StaticQueuesEdges, ReceivedAtTheLaterOfTwoReadsAndTheCounterSeen) {
  EXPECT_EQ(to_ns(two_cores(18, 5).tasks[1].received), 36);  // 2 · 18 > 30 + 5
  EXPECT_EQ(to_ns(two_cores(18, 6).tasks[1].received), 36);  // both
  EXPECT_EQ(to_ns(two_cores(18, 7).tasks[1].received), 37);  // 30 + 7
  EXPECT_EQ(to_ns(two_cores(18, 7).tasks[1].ready), 30);
  EXPECT_EQ(to_ns(two_cores(18, 7).tasks[1].dispatched), 0);
}

TEST(StaticQueuesEdges, TwoReadsAreRoundedAsOneSum) {
  EXPECT_EQ(to_ns(two_cores(17.75, 0).tasks[1].received), 36);  // 35.5, not 2 · 18
  EXPECT_EQ(to_ns(two_cores(17.2, 0).tasks[1].received), 34);   // 34.4
}

TEST(StaticQueuesEdges, ALookShowsAllCountersOfTheNextTasks) {
  Machine machine = plain_machine(2);
  machine.resident_cores->list_read = Nanoseconds{1}, machine.memory->read_latency = Nanoseconds{2.5},
  machine.resident_cores->counter_hop = Nanoseconds{2};
  // Round robin: a, c, e on core 0; b, d, f on core 1. c and e wait for b, which is done long before a.
  const Timeline timeline =
      run(small_graph({{"a", 100}, {"b", 10}, {"c", 20}, {"d", 1}, {"e", 20}, {"f", 1}}, {{1, 2}, {1, 4}}), machine, round_robin(1));
  EXPECT_EQ(timeline.tasks[2].received - timeline.tasks[2].dispatched, Duration{1 + 5});
  EXPECT_EQ(timeline.tasks[4].received - timeline.tasks[4].dispatched, Duration{1}) << "seen with c's";
}

TEST(StaticQueuesEdges, OneUnitPublishesBeforeItFetches) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{7};
  machine.resident_cores->hand_off = Nanoseconds{40};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}}, {{0, 2}});
  EXPECT_EQ(to_ns(run(graph, machine, round_robin(1)).tasks[1].dispatched), 27);
  EXPECT_EQ(to_ns(run(graph, machine, round_robin(1)).tasks[0].started), 0) << "nothing is handed off";
  EXPECT_EQ(to_ns(run(graph, machine, round_robin(2)).tasks[0].started), 40);
  EXPECT_EQ(to_ns(run(graph, machine, with_depth("shared-queue", 1)).tasks[0].started), 40);
}

TEST(StaticQueuesEdges, HopsOfDifferentLengthDelayWhoWaitsForMany) {
  Machine machine = plain_machine(21);
  machine.resident_cores->counter_hop = Nanoseconds{500};
  TaskGraphBuilder builder;
  for (int i = 0; i < 20; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{10}}});
  const TaskId last = builder.add_task("last", {.cost = {.time = Duration{10}}});
  for (int i = 0; i < 20; ++i) builder.add_edge(task_id(static_cast<std::size_t>(i)), last);
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(to_ns(run(graph, machine, round_robin(1)).tasks[20].received), 510);
  machine.resident_cores->counter_hop_spread = Nanoseconds{50};
  const std::int64_t spread = to_ns(run(graph, machine, round_robin(1)).tasks[20].received);
  EXPECT_GT(spread, 510 + 40) << "the longest of twenty";
  EXPECT_LT(spread, 510 + 250);
}

TEST(StaticQueuesEdges, SuccessorsBeyondThoseAtHandAreReadLate) {
  Machine machine = plain_machine(1);
  machine.memory->read_latency = Nanoseconds{9};
  const auto published = [&](int successors) {
    TaskGraphBuilder builder;
    const TaskId hub = builder.add_task("hub", {.cost = {.time = Duration{10}}});
    for (int i = 0; i < successors; ++i) builder.add_edge(hub, builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1}}}));
    return to_ns(run(std::move(builder).build(), machine, round_robin(1)).tasks[0].published);
  };
  EXPECT_EQ(published(128), 10);
  EXPECT_EQ(published(129), 19);
  EXPECT_EQ(published(160), 19);
  EXPECT_EQ(published(161), 28);
}

TEST(SharedQueueEdges, ReleasedTasksAreStillToBePushed) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{4};
  machine.resident_cores->push = Nanoseconds{6};
  const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}}, {{0, 1}}), machine, with_depth("shared-queue", 1));
  EXPECT_EQ(to_ns(timeline.tasks[0].published), 20);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 20);
}

TEST(StaticQueuesEdges, FetchBeginsWhenAPlaceInTheMailboxIsFree) {
  Machine machine = plain_machine(1);
  machine.resident_cores->list_read = Nanoseconds{3};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}});
  const Timeline shallow = run(graph, machine, round_robin(1));
  EXPECT_EQ(to_ns(shallow.tasks[1].dispatched), 23);  // a has left
  EXPECT_EQ(to_ns(shallow.tasks[1].started), 26);
  const Timeline deep = run(graph, machine, round_robin(2));
  EXPECT_EQ(to_ns(deep.tasks[1].dispatched), 3);  // a has been received
  EXPECT_EQ(to_ns(deep.tasks[1].started), 23);
  EXPECT_EQ(to_ns(deep.tasks[2].dispatched), 23);
}

TEST(StaticQueuesEdges, PlaceInTheMailboxIsHeldUntilThePublishingUnitTakesTheTask) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{50};
  const Timeline timeline = run(small_graph({{"a", 20}, {"b", 20}, {"c", 20}, {"d", 20}, {"e", 20}}, {{0, 4}}), machine, round_robin(2));
  // a ends at 20 and is published at 70; b ends at 40 and holds its place until 70, so d is fetched then.
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 20);
  EXPECT_EQ(to_ns(timeline.tasks[3].dispatched), 70);
}

TEST(SharedQueueEdges, ClaimsAreServedOneAtATimeInTheOrderOfCores) {
  Machine machine = plain_machine(3);
  machine.memory->atomic_latency = Nanoseconds{20};
  machine.memory->atomic_service = Nanoseconds{4};
  const Timeline timeline = run(small_graph({{"a", 100}, {"b", 100}, {"c", 100}}), machine, with_depth("shared-queue", 1));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(to_ns(timeline.tasks[i].dispatched), 10 + 4 * (static_cast<std::int64_t>(i) + 1) + 10) << i;
    EXPECT_EQ(index(timeline.tasks[i].core), i);
  }
}

/// Core 0 runs a, whose completion is written at 30; core 1 holds the ticket for b, claimed back at 5 + 1 + 5 = 11.
Timeline waiting_ticket(double read_latency, double counter_hop) {
  Machine machine = plain_machine(2);
  machine.memory->atomic_latency = Nanoseconds{10};
  machine.memory->atomic_service = Nanoseconds{1};
  machine.memory->read_latency = Nanoseconds{read_latency};
  machine.ready_queues->hop = Nanoseconds{read_latency + counter_hop};
  // Core 0's claim is served first: back at 11; a is received at 11 + 2 reads.
  return run(small_graph({{"a", 30 - 11 - 2 * static_cast<std::int64_t>(read_latency)}, {"b", 10}}, {{0, 1}}), machine,
             with_depth("shared-queue", 1));
}

TEST(SharedQueueEdges, SlotIsSeenAHopAfterThePushAndThenRead) {
  const Timeline timeline = waiting_ticket(4, 9);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 30);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 30);
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 30 + 9 + 4);
  EXPECT_EQ(index(timeline.tasks[1].core), 1u);
}

TEST(SharedQueueEdges, HopLongerThanTheReadDelaysARoot) {
  Machine machine = plain_machine(1);
  machine.memory->read_latency = Nanoseconds{8};
  const TaskGraph graph = small_graph({{"a", 10}});
  for (const auto& [hop, received] : {std::pair{7, 16}, std::pair{8, 16}, std::pair{9, 17}}) {
    machine.ready_queues->hop = Nanoseconds{8.0 + static_cast<double>(hop)};
    EXPECT_EQ(to_ns(run(graph, machine, with_depth("shared-queue", 1)).tasks[0].received), received);
  }
}

TEST(SharedQueueEdges, SuccessorsOfOnePublicationAreQueuedInTheOrderOfIds) {
  const Machine machine = plain_machine(1);
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}}, {{0, 2}, {0, 1}});
  const Timeline timeline = run(graph, machine, with_depth("shared-queue", 1));
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 10);
  EXPECT_EQ(to_ns(timeline.tasks[2].started), 20);
}

}  // namespace
}  // namespace tasktwin::sim
