// What queues of several takers have beyond one for all: one a core type, shards, claims of several, service, blocks, back-off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed = 1) {
  return simulate(graph, machine, design, {.seed = seed}).timeline;
}

Design queue(ReadyQueue ready_queue) {
  Design design = with_depth("shared-queue", 1);
  design.ready_queue = ready_queue;
  return design;
}

Design claims(Claim claim, int size) {
  Design design = queue(ReadyQueue::kShared);
  design.claim = claim;
  design.claim_size = size;
  return design;
}

Machine two_types() {
  Machine machine = plain_machine(1);
  machine.compute_cores = {{.type = CoreType::kAic, .count = 1}, {.type = CoreType::kAiv, .count = 1}};
  return machine;
}

std::vector<std::size_t> cores_of(const Timeline& timeline) {
  std::vector<std::size_t> cores;
  for (const TaskTimes& task : timeline.tasks) cores.push_back(index(task.core));
  return cores;
}

TEST(SharedQueue, LotsOfSuccessorsAreReadyOneAfterTheOther) {
  Machine machine = plain_machine(4);
  machine.resident_cores->release = Nanoseconds{100};
  machine.resident_cores->push = Nanoseconds{50};
  machine.resident_cores->push_per_successor = Nanoseconds{1};
  for (const char* design : {"shared-queue", "work-stealing"}) {
    const Timeline timeline = run(star(300), machine, with_depth(design, 1));
    EXPECT_EQ(to_ns(timeline.tasks[0].published), 10 + 3 * 150 + 300) << design;
    for (std::size_t leaf = 1; leaf <= 300; ++leaf) {
      const int ready = leaf <= 128 ? 10 + 150 + 128 : leaf <= 256 ? 10 + 300 + 256 : 10 + 450 + 300;
      ASSERT_EQ(to_ns(timeline.tasks[leaf].ready), ready) << design << ", leaf " << leaf;
    }
    EXPECT_EQ(to_ns(run(star(128), machine, with_depth(design, 1)).tasks[128].ready), 10 + 150 + 128) << design << ", one lot";
  }
}

TEST(SharedQueueLayout, OneQueueServesClaimsOfAllTypesAndOneATypeEachItsOwn) {
  Machine machine = two_types();
  machine.memory->atomic_latency = Nanoseconds{20};
  machine.memory->atomic_service = Nanoseconds{4};
  const TaskGraph graph = small_graph({{"a", 50, 0, CoreType::kAic}, {"v", 50, 0, CoreType::kAiv}});
  const Timeline shared = run(graph, machine, queue(ReadyQueue::kShared));
  EXPECT_EQ(to_ns(shared.tasks[0].dispatched), 24);
  EXPECT_EQ(to_ns(shared.tasks[1].dispatched), 28);
  const Timeline apart = run(graph, machine, queue(ReadyQueue::kPerCoreType));
  EXPECT_EQ(to_ns(apart.tasks[0].dispatched), 24);
  EXPECT_EQ(to_ns(apart.tasks[1].dispatched), 24);
}

TEST(SharedQueueShards, RootsAreDealtOutAndSuccessorsStayAtThePushersHome) {
  // Roots a, b, c to workers 0, 1, 0; a's successors d and e stay with worker 0 though worker 1 idles from 10 on.
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}}, {{0, 3}, {0, 4}});
  const Timeline timeline = run(graph, plain_machine(2), queue(ReadyQueue::kSharded));
  EXPECT_THAT(cores_of(timeline), testing::ElementsAre(0, 1, 0, 0, 0));
  EXPECT_EQ(to_ns(timeline.tasks[4].started), 40);
}

TEST(SharedQueueShards, WorkersWithOneHomeShareIt) {
  Design design = queue(ReadyQueue::kSharded);
  design.shards = 2;  // workers 0 and 2, 1 and 3
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}}, {{0, 1}, {0, 2}, {0, 3}});
  const Timeline timeline = run(graph, plain_machine(4), design);
  EXPECT_EQ(std::set({index(timeline.tasks[1].core), index(timeline.tasks[2].core), index(timeline.tasks[3].core)}),
            (std::set<std::size_t>{0, 2}));
  EXPECT_EQ(timeline.makespan(), Duration{30});
}

TEST(SharedQueueShards, EachHasACounterOfItsOwn) {
  Machine machine = plain_machine(2);
  machine.memory->atomic_service = Nanoseconds{4};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}});
  Design design = queue(ReadyQueue::kSharded);
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[1].dispatched), 4);
  design.shards = 1;
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[1].dispatched), 8);
}

TEST(SharedQueueShards, ShardWithoutWorkersOfTheTypeIsSkipped) {
  // v is released by worker 0, whose shard has no aiv.
  const TaskGraph graph = small_graph({{"a", 10, 0, CoreType::kAic}, {"v", 10, 0, CoreType::kAiv}}, {{0, 1}});
  const Timeline timeline = run(graph, two_types(), queue(ReadyQueue::kSharded));
  EXPECT_EQ(timeline.tasks[1].core, core_id(1));
}

TEST(SharedQueueClaims, OneOperationTakesSeveralTickets) {
  Machine machine = plain_machine(1);
  machine.memory->atomic_latency = Nanoseconds{20};
  machine.memory->read_latency = Nanoseconds{3};
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 100}, {"c", 100}});
  const Timeline timeline = run(graph, machine, claims(Claim::kFixed, 2));
  EXPECT_EQ(to_ns(timeline.tasks[0].received), 26);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 126);  // no atomic
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 132);
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 232 + 20);
}

TEST(SharedQueueClaims, TicketsTakenAheadKeepTasksFromOthers) {
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}});
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), claims(Claim::kFixed, 1))), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), claims(Claim::kFixed, 2))), testing::ElementsAre(0, 0, 1));
  EXPECT_EQ(run(graph, plain_machine(2), claims(Claim::kAll, 1)), run(graph, plain_machine(2), claims(Claim::kFixed, 1)));
}

TEST(SharedQueueClaims, ReservedTicketWaitsForItsTask) {
  // Worker 0 has tickets 0 and 1: b, released by a, is its, while worker 1 waits with ticket 2.
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}}, {{0, 1}});
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), claims(Claim::kFixed, 2))), testing::ElementsAre(0, 0));
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), claims(Claim::kFixed, 1))), testing::ElementsAre(0, 1));
}

TEST(SharedQueueClaims, GuidedOnesShrinkWithWhatIsUnclaimed) {
  // Two takers: 12 / 4 = 3, 9 / 4 = 2, then 7 / 4 = 1, …
  std::vector<SmallTask> tasks;
  for (int i = 0; i < 12; ++i) tasks.push_back({"t" + std::to_string(i), 10});
  const Timeline timeline = run(small_graph(tasks), plain_machine(2), claims(Claim::kGuided, 1));
  EXPECT_THAT(cores_of(timeline), testing::ElementsAre(0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1));
  const Timeline coarse = run(small_graph(tasks), plain_machine(2), claims(Claim::kGuided, 4));  // never under 4
  EXPECT_THAT(cores_of(coarse), testing::ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0));
}

TEST(SharedQueueService, QueueIsHeldByEveryPushAndClaim) {
  Machine machine = plain_machine(2);
  machine.ready_queues->service = Nanoseconds{6};
  machine.memory->atomic_service = Nanoseconds{1};
  machine.ready_queues->hop = Nanoseconds{2};
  // The pushes of a and b end at 6 and 12. Both claims come at 0, after them: served until 19 and 26.
  const TaskGraph graph = small_graph({{"a", 30}, {"b", 100}, {"c", 10}, {"d", 10}}, {{0, 2}, {0, 3}});
  const Timeline timeline = run(graph, machine, queue(ReadyQueue::kShared));
  EXPECT_EQ(to_ns(timeline.tasks[0].dispatched), 19);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 26);
  // a is published at 49: c is pushed until 55, d until 61; worker 0, free at 49, claims after them, until 68.
  EXPECT_EQ(to_ns(timeline.tasks[2].ready), 49);
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 68);
  EXPECT_EQ(to_ns(timeline.tasks[2].received), 68);
  EXPECT_EQ(to_ns(timeline.tasks[3].dispatched), 78 + 7);
}

TEST(SharedQueueService, TicketThatWaitsSeesThePushWhenItIsThrough) {
  Machine machine = plain_machine(2);
  machine.ready_queues->service = Nanoseconds{6};
  machine.ready_queues->hop = Nanoseconds{2};
  const TaskGraph graph = small_graph({{"a", 30}, {"b", 10}}, {{0, 1}});
  const Timeline timeline = run(graph, machine, queue(ReadyQueue::kShared));
  EXPECT_EQ(to_ns(timeline.tasks[0].published), 12 + 30);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 48);
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 50);
}

TaskGraph wide(int blocks) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.blocks = blocks})});
  builder.add_edge(a, builder.add_task("b", {.cost = {.time = Duration{5}}}));
  return std::move(builder).build();
}

TEST(SharedQueueBlocks, EachTakesATicketAndTheLastReleasesTheSuccessors) {
  Design design = queue(ReadyQueue::kShared);
  design.gang = Gang::kApart;
  const Timeline timeline = run(wide(3), plain_machine(2), design);
  ASSERT_EQ(timeline.blocks.size(), 3u);
  EXPECT_EQ(timeline.blocks[0].core, core_id(0));
  EXPECT_EQ(to_ns(timeline.blocks[0].started), 0);
  EXPECT_EQ(to_ns(timeline.tasks[0].ended), 20);  // two at once, then the third
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 20);
  EXPECT_EQ(to_ns(run(wide(2), plain_machine(2), design).tasks[1].ready), 10);
}

TEST(SharedQueueBlocks, EachIsPublishedAtTheFullCost) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{4};
  Design design = queue(ReadyQueue::kShared);
  design.gang = Gang::kApart;
  // The second block begins at 10, when the first leaves the mailbox, and is published at 20 + 4.
  EXPECT_EQ(to_ns(run(wide(2), machine, design).tasks[1].ready), 24);
}

TEST(SharedQueueOtherType, TaskWaitsWhereItWouldEndFirst) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t traits = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{25}});
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic, .traits = traits});
  }
  const Timeline timeline = run(std::move(builder).build(), two_types(), queue(ReadyQueue::kShared));
  // On the aic the first would end at 10, the second at 20, the third at 30; on the aiv at 25.
  EXPECT_THAT(cores_of(timeline), testing::ElementsAre(0, 0, 1));
  EXPECT_EQ(timeline.tasks[2].ended - timeline.tasks[2].started, Duration{25});
}

TEST(SharedQueueBackoff, TicketThatWaitsNoticesLateByADrawUpToIt) {
  Machine machine = plain_machine(2);
  machine.ready_queues->hop = Nanoseconds{4};
  machine.memory->read_latency = Nanoseconds{2};
  Design design = queue(ReadyQueue::kShared);
  design.backoff_ns = 2;
  std::set<std::int64_t> received;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}}, {{0, 1}}), machine, design, seed);
    EXPECT_EQ(to_ns(timeline.tasks[0].received), 4);  // a is there
    received.insert(to_ns(timeline.tasks[1].received));
  }
  EXPECT_EQ(received, (std::set<std::int64_t>{18, 19, 20}));
}

TEST(SharedQueueOrchestrated, TaskIsPushedWhenItIsKnown) {
  Machine machine = plain_machine(2);
  machine.device_control->submit = Nanoseconds{20};
  machine.ready_queues->hop = Nanoseconds{3};
  Design design = queue(ReadyQueue::kShared);
  design.graph_build = GraphBuild::kDevice;
  const Timeline timeline = run(small_graph({{"a", 4}, {"b", 10}}), machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[0].ready), 20);
  EXPECT_EQ(to_ns(timeline.tasks[0].received), 23);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 40);
}

/// When the last of so many tasks spawned by one of 10 ns is ready.
std::int64_t last_spawned(int children) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{4};
  machine.resident_cores->spawn = Nanoseconds{30};
  TaskGraphBuilder builder;
  const TaskId parent = builder.add_task("parent", {.cost = {.time = Duration{10}}});
  for (int i = 0; i < children; ++i)
    builder.set_spawner(builder.add_task("child" + std::to_string(i), {.cost = {.time = Duration{10}}}), parent);
  return to_ns(run(std::move(builder).build(), machine, queue(ReadyQueue::kShared)).tasks.back().ready);
}

TEST(SharedQueueSpawns, LotsOfSpawnedTasksLengthenTheRelease) {
  EXPECT_EQ(last_spawned(1), 10 + 4 + 30);
  EXPECT_EQ(last_spawned(32), 10 + 4 + 30);
  EXPECT_EQ(last_spawned(33), 10 + 4 + 2 * 30);
}

}  // namespace
}  // namespace tasktwin::sim
