// Each axis of a Design that dispatchers read, on graphs small enough to follow by hand. Constants are zero unless set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/error.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

/// Dispatchers that look after `cores` cores of type sm, one task a mailbox.
struct World {
  explicit World(int cores, int control_cores = 1) : machine(plain_machine(cores)) {
    machine.control_cores.count = control_cores;
    design.name = "tested";
  }
  Timeline run(const TaskGraph& graph, std::uint64_t seed = 1) const {
    return simulate(graph, machine, design, {.seed = seed, .record_steps = true}).timeline;
  }
  Machine machine;
  Design design;
};

template <TimePoint TaskTimes::*phase>
std::vector<std::int64_t> times(const Timeline& timeline) {
  std::vector<std::int64_t> all;
  for (const TaskTimes& task : timeline.tasks) all.push_back(to_ns(task.*phase));
  return all;
}
std::vector<std::int64_t> dispatched(const Timeline& timeline) { return times<&TaskTimes::dispatched>(timeline); }
std::vector<std::int64_t> started(const Timeline& timeline) { return times<&TaskTimes::started>(timeline); }
std::vector<std::size_t> cores(const Timeline& timeline) {
  std::vector<std::size_t> all;
  for (const TaskTimes& task : timeline.tasks) all.push_back(index(task.core));
  return all;
}
int steps(const Timeline& timeline, std::size_t dispatcher, StepKind kind) {
  return static_cast<int>(std::ranges::count(timeline.steps[dispatcher], kind, &Step::kind));
}

TaskGraph independent(int tasks, std::int64_t time_ns) {
  std::vector<SmallTask> list;
  for (int i = 0; i < tasks; ++i) list.push_back({"t" + std::to_string(i), time_ns});
  return small_graph(list);
}

// --- loop, sweep, ownership ---

TEST(DispatcherLoop, LongCompleteStepDelaysTheHandOver) {
  // Both cores complete at 10; taking in takes 100 each.
  World world(2);
  world.machine.constants.complete = Nanoseconds{100};
  const TaskGraph graph = independent(4, 10);
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 210, 210));
  world.design.loop = Loop::kInterleaved;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 110, 210));
}

TEST(DispatcherLoop, InterleavedSweepGoesOnFromTheCoreAfterTheLast) {
  // Four cores end together at 40; polling one takes 10, so each completion costs one poll, in the order of the cores. The
  // dispatcher polls all four from 0 to 40 before it can hand over and once more until 80.
  World world(4);
  world.machine.constants.poll_per_core = Nanoseconds{10};
  world.design.loop = Loop::kInterleaved;
  const TaskGraph graph = small_graph({{"a", 40}, {"b", 40}, {"c", 40}, {"d", 40}, {"e", 1}, {"f", 1}}, {{0, 4}, {2, 5}});
  const Timeline timeline = world.run(graph);
  EXPECT_THAT(dispatched(timeline), ElementsAre(40, 40, 40, 40, 90, 110));
}

TEST(DispatcherSweep, PollsAllCoresOrOnlyThoseThatHoldATask) {
  World world(4);
  world.machine.constants.poll_per_core = Nanoseconds{10};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  // Sweeps of 40: a at 40, ends at 60, seen by the sweep that begins at 80.
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(40, 120));
  // None holds a task at 0; then sweeps of 10: a ends at 20, seen by the sweep that begins then.
  world.design.sweep = Sweep::kBusyCores;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 30));
}

TEST(DispatcherOwnership, SharedCoresAreServedByWhoeverIsFree) {
  // a and b are handed over by dispatcher 0 and end at 10 and 15; taking in takes 100. b's successor is e.
  World world(4, 2);
  world.machine.constants.complete = Nanoseconds{100};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 15}, {"c", 900}, {"d", 900}, {"e", 1}}, {{1, 4}});
  Timeline timeline = world.run(graph);
  EXPECT_THAT(cores(timeline), ElementsAre(0, 2, 1, 3, 0));
  EXPECT_EQ(to_ns(timeline.tasks[4].ready), 210);  // after dispatcher 0 is through with a
  world.design.ownership = Ownership::kShared;
  timeline = world.run(graph);
  EXPECT_EQ(to_ns(timeline.tasks[4].ready), 115);
}

// --- roles ---

TEST(DispatcherRoles, ResolverTakesResolvingOffTheScheduler) {
  World world(1, 2);
  world.machine.constants.complete = Nanoseconds{10};
  world.machine.constants.resolve = Nanoseconds{50};
  world.machine.constants.control_hop = Nanoseconds{5};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  world.design.dispatchers = 1;
  EXPECT_EQ(to_ns(world.run(graph).tasks[1].dispatched), 20 + 10 + 50);
  world.design.resolvers = 1;
  const Timeline timeline = world.run(graph);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 20 + 10 + 5 + 50);
  EXPECT_THAT(timeline.roles, ElementsAre(ControlRole::kScheduler, ControlRole::kResolver));
  EXPECT_THAT(timeline.dispatchers[1], ElementsAre(Span{at_ns(35), at_ns(85)}));
  EXPECT_THAT(timeline.dispatchers[0].front(), (Span{at_ns(20), at_ns(30)}));
}

TEST(DispatcherRoles, OrchestratorMakesTasksKnownOneAfterTheOther) {
  World world(2, 3);
  world.machine.constants.submit = Nanoseconds{100};
  world.machine.constants.submit_per_predecessor = Nanoseconds{10};
  world.design.graph_build = GraphBuild::kDevice;
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}}, {{0, 1}});
  EXPECT_THAT(times<&TaskTimes::ready>(world.run(graph)), ElementsAre(100, 210, 310));
  world.design.orchestrators = 2;  // the second submits b alone
  EXPECT_THAT(times<&TaskTimes::ready>(world.run(graph)), ElementsAre(100, 120, 200));
}

TEST(DispatcherRoles, WindowHoldsTheOrchestratorBack) {
  World world(1, 2);
  world.machine.constants.submit = Nanoseconds{100};
  world.machine.constants.control_hop = Nanoseconds{7};
  world.design.graph_build = GraphBuild::kDevice;
  const TaskGraph graph = independent(3, 20);
  world.design.window = 2;  // t0 is retired at 120, before t2 waits for it
  EXPECT_THAT(times<&TaskTimes::ready>(world.run(graph)), ElementsAre(100, 200, 300));
  world.design.window = 1;  // each waits for the one before: ended, seen, and a hop
  EXPECT_THAT(times<&TaskTimes::ready>(world.run(graph)), ElementsAre(100, 227, 354));
  EXPECT_EQ(steps(world.run(graph), 1, StepKind::kWait), 2);
}

TEST(DispatcherRoles, WindowTooSmallForTheGraphIsExplained) {
  World world(2, 2);
  world.design.graph_build = GraphBuild::kDevice;
  world.design.window = 2;
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}}, {{0, 2}});
  try {
    world.run(graph);
    FAIL() << "ran";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(),
                 "design 'tested': a window of 2 tasks is too small for the graph: 'c' waits to be submitted until 'a' is retired, 'a' is "
                 "not retired before its successor 'c' has completed, and 'c' cannot complete before it is submitted; the smallest "
                 "window that works is 3");
  }
  world.design.window = 3;
  EXPECT_EQ(world.run(graph).makespan(), Duration{40});
}

TEST(DispatcherRoles, CodeScaleShortensTheControlCoresOwnCode) {
  World world(1);
  world.machine.constants.complete = Nanoseconds{100};
  world.machine.constants.resolve = Nanoseconds{10};
  world.machine.control_cores.code_scale = 0.5;
  EXPECT_EQ(to_ns(world.run(small_graph({{"a", 20}, {"b", 20}}, {{0, 1}})).tasks[1].ready), 20 + 50 + 10);
}

// --- ready queues ---

/// A task for each of two cores of different types, each owned by its own dispatcher; a queue operation takes 10.
struct TwoTypes : World {
  TwoTypes() : World(1, 2) {
    machine.compute_cores = {{.type = CoreType::kAic, .count = 1}, {.type = CoreType::kAiv, .count = 1}};
    machine.constants.queue_service = Nanoseconds{10};
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

TEST(DispatcherQueues, PushesOfOneIterationAreOneOperation) {
  World world(1);
  world.machine.constants.queue_service = Nanoseconds{10};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 5}, {"c", 5}}, {{0, 1}, {0, 2}});
  const Timeline timeline = world.run(graph);
  EXPECT_THAT(times<&TaskTimes::ready>(timeline), ElementsAre(0, 40, 40));  // claimed at 10, ends at 30, pushed until 40
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 50);
}

/// Two dispatchers with a core each; a on the first makes eight tasks of 100 ready at 10.
struct FanOut : World {
  FanOut() : World(2, 2) {
    design.ready_queue = ReadyQueue::kPerDispatcher;
    machine.constants.steal = Nanoseconds{5};
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
  world.machine.constants.steal_fail = Nanoseconds{3};
  const Timeline timeline = world.run(independent(1, 50));
  EXPECT_EQ(timeline.steps[1].front(), (Step{at_ns(0), at_ns(6), StepKind::kSteal}));  // two others, both empty
}

TEST(DispatcherClaims, FixedGuidedOrAll) {
  World world(4);
  world.machine.constants.queue_service = Nanoseconds{10};
  world.machine.constants.dispatch = Nanoseconds{1};
  const TaskGraph graph = independent(4, 900);
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 13, 14));
  world.design.claim = Claim::kFixed;
  world.design.claim_size = 2;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 23, 24));
  world.design.claim = Claim::kGuided;  // of 4, 2 and 1 left: 2, 1 and 1
  world.design.claim_size = 1;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(11, 12, 23, 34));
}

// --- placement ---

TEST(DispatcherPlacement, LeastLoadedCoreGetsTheTask) {
  World world(2);
  world.design.placement = Placement::kLeastLoaded;
  world.design.mailbox_depth = 3;
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}});
  EXPECT_THAT(cores(world.run(graph)), ElementsAre(0, 1, 1, 1));
  world.design.placement = Placement::kAnyIdle;
  EXPECT_THAT(cores(world.run(graph)), ElementsAre(0, 1, 0, 1));
}

TEST(DispatcherPlacement, LeastLoadedQueueOfItsOwnForEachWorker) {
  World world(2);
  world.design.placement = Placement::kLeastLoaded;
  world.design.ready_queue = ReadyQueue::kPerWorker;
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}});
  EXPECT_THAT(cores(world.run(graph)), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(started(world.run(graph)), ElementsAre(0, 0, 10, 20));
}

/// x and y on cores 0 and 1; z reads 10 bytes of x and 30 of y.
TaskGraph reads_from_two() {
  TaskGraphBuilder builder;
  const TaskId x = builder.add_task("x", {.cost = {.time = Duration{20}}});
  const TaskId y = builder.add_task("y", {.cost = {.time = Duration{20}}});
  const TaskId z = builder.add_task("z", {.cost = {.time = Duration{5}}});
  builder.add_edge(x, z, {10});
  builder.add_edge(y, z, {30});
  return std::move(builder).build();
}

TEST(DispatcherPlacement, LocalityFollowsTheBytes) {
  World world(2);
  world.machine.constants.memory_bandwidth = world.machine.constants.core_bandwidth = 1;
  Timeline timeline = world.run(reads_from_two());
  EXPECT_EQ(index(timeline.tasks[2].core), 0u);
  EXPECT_EQ(timeline.tasks[2].ended - timeline.tasks[2].started, Duration{30});  // y's bytes come through memory
  world.design.placement = Placement::kLocality;
  timeline = world.run(reads_from_two());
  EXPECT_EQ(index(timeline.tasks[2].core), 1u);
  EXPECT_EQ(timeline.tasks[2].ended - timeline.tasks[2].started, Duration{10});
}

TEST(DispatcherPlacement, FrozenListsAreHandedOverInTheirOrder) {
  World world(2);
  world.design.placement = Placement::kRoundRobin;
  world.design.ready_queue = ReadyQueue::kPerWorker;
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 10}, {"c", 10}, {"d", 10}});
  EXPECT_THAT(cores(world.run(graph)), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(started(world.run(graph)), ElementsAre(0, 0, 50, 10));
}

TEST(DispatcherPlacement, HybridKeepsAShareOfTheTasksForWhoeverIsFree) {
  World world(2);
  world.design.placement = Placement::kRoundRobin;
  world.design.ready_queue = ReadyQueue::kPerWorkerAndShared;
  world.design.static_percent = 50;
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 10}, {"c", 10}, {"d", 10}});
  EXPECT_THAT(cores(world.run(graph)), ElementsAre(0, 1, 1, 1));
}

TEST(DispatcherPlacement, ReplayPutsTasksWhereATimelineHadThem) {
  World world(2);
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 10}, {"c", 10}, {"d", 10}});
  Timeline replayed = world.run(graph);
  EXPECT_THAT(cores(replayed), ElementsAre(0, 1, 1, 1));
  world.design.placement = Placement::kReplay;
  world.design.ready_queue = ReadyQueue::kPerWorker;
  world.design.replay = "given";
  std::swap(replayed.tasks[0].core, replayed.tasks[1].core);
  const Timeline timeline = simulate(graph, world.machine, world.design, {.replayed = &replayed}).timeline;
  EXPECT_THAT(cores(timeline), ElementsAre(1, 0, 1, 1));
}

// --- filling, gangs, core types ---

TEST(DispatcherFill, SecondTaskAlwaysOrNotInTheTail) {
  World world(2);
  world.design.mailbox_depth = 2;
  const TaskGraph graph = independent(5, 10);
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 0, 0, 10));
  // After t0 and t1 three are left, more than cores: t2 is given ahead. Then two are, so each waits for an idle core.
  world.design.fill = Fill::kNotInTail;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 0, 10, 20));
}

/// x on one core, w on `blocks`, y on one.
TaskGraph wide_between(int blocks) {
  TaskGraphBuilder builder;
  builder.add_task("x", {.cost = {.time = Duration{10}}});
  builder.add_task("w", {.cost = {.time = Duration{20}}, .traits = builder.add_traits({.blocks = blocks})});
  builder.add_task("y", {.cost = {.time = Duration{10}}});
  return std::move(builder).build();
}

TEST(DispatcherGangs, CohortStartsTogetherOrNotAtAll) {
  const World world(3);
  const Timeline timeline = world.run(wide_between(3));
  EXPECT_THAT(started(timeline), ElementsAre(0, 10, 30));  // y does not overtake w
  ASSERT_EQ(timeline.blocks.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(timeline.blocks[i], (BlockTimes{task_id(1), core_id(i), at_ns(10), at_ns(30), at_ns(30)}));
  }
}

TEST(DispatcherGangs, ApartEachBlockStartsAsSoonAsACoreIsFree) {
  World world(3);
  world.design.gang = Gang::kApart;
  const Timeline timeline = world.run(wide_between(3));
  ASSERT_EQ(timeline.blocks.size(), 3u);
  EXPECT_EQ(to_ns(timeline.blocks[0].started), 10);  // on core 0, after x
  EXPECT_EQ(to_ns(timeline.blocks[1].started), 0);
  EXPECT_EQ(to_ns(timeline.blocks[2].started), 0);
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 0);
  EXPECT_EQ(to_ns(timeline.tasks[1].ended), 30);
  EXPECT_EQ(to_ns(timeline.tasks[2].started), 20);
}

TEST(DispatcherGangs, SuccessorWaitsForTheLastBlock) {
  World world(2);
  world.design.gang = Gang::kApart;
  TaskGraphBuilder builder;
  const TaskId w = builder.add_task("w", {.cost = {.time = Duration{20}}, .traits = builder.add_traits({.blocks = 3})});
  const TaskId z = builder.add_task("z", {.cost = {.time = Duration{5}}});
  builder.add_edge(w, z);
  EXPECT_EQ(to_ns(world.run(std::move(builder).build()).tasks[1].started), 40);
}

TEST(DispatcherGangs, CohortWiderThanADispatchersShareIsRefused) {
  World world(4, 2);
  try {
    world.run(wide_between(3));
    FAIL() << "ran";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "task 'w' needs 3 cores of type 'sm' at once; under design 'tested' a dispatcher owns at most 2 "
                 "(ownership 'shared' would give it all)");
  }
  world.design.ownership = Ownership::kShared;
  EXPECT_EQ(world.run(wide_between(3)).tasks[1].core, core_id(1));
}

TEST(DispatcherGangs, MixTaskTakesAWholeCluster) {
  // Clusters {0, 2, 3} and {1, 4, 5}. The AIV task is given core 2 by the first iteration's end, since `mix` goes first.
  World world(1);
  world.machine.compute_cores = {{.type = CoreType::kAic, .count = 2, .per_cluster = 1},
                                 {.type = CoreType::kAiv, .count = 4, .per_cluster = 2}};
  const TaskGraph graph =
      small_graph({{"v", 50, 0, CoreType::kAiv}, {"m", 20, 0, CoreType::kMix}, {"n", 20, 0, CoreType::kMix}, {"o", 20, 0, CoreType::kMix}});
  const Timeline timeline = world.run(graph);
  EXPECT_THAT(started(timeline), ElementsAre(20, 0, 0, 20));
  std::vector<std::size_t> cluster;
  for (const BlockTimes& block : timeline.blocks) {
    if (block.task == task_id(2)) cluster.push_back(index(block.core));
  }
  EXPECT_THAT(cluster, ElementsAre(1, 4, 5));
}

TEST(DispatcherCoreTypes, TaskGoesToTheTypeThatIsThroughFirst) {
  World world(1);
  world.machine.compute_cores = {{.type = CoreType::kAic, .count = 1}, {.type = CoreType::kAiv, .count = 1}};
  TaskGraphBuilder builder;
  const std::uint32_t either = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{150}});
  for (const char* name : {"a", "b", "c"}) {
    builder.add_task(name, {.cost = {.time = Duration{100}}, .core_type = CoreType::kAic, .traits = either});
  }
  const Timeline timeline = world.run(std::move(builder).build());
  EXPECT_THAT(cores(timeline), ElementsAre(0, 1, 0));  // b: 100 + 100 there, 150 here; c: 200 there, 150 + 150 here
  EXPECT_THAT(times<&TaskTimes::ended>(timeline), ElementsAre(100, 150, 200));
}

// --- what comes to be ---

TEST(DispatcherGraphs, TaskWhosePredicateFailsTakesNoTimeAndSpawnsNothing) {
  const World world(1);
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{100}}, .traits = builder.add_traits({.probability = 0})});
  const TaskId b = builder.add_task("b", {.cost = {.time = Duration{10}}});
  const TaskId child = builder.add_task("child", {.cost = {.time = Duration{10}}});
  const TaskId last = builder.add_task("last", {.cost = {.time = Duration{10}}});
  builder.add_edge(a, b);
  builder.set_spawner(child, a);
  builder.add_edge(child, last);
  const Timeline timeline = world.run(std::move(builder).build());
  EXPECT_EQ(timeline.tasks[0].ended, timeline.tasks[0].started);
  EXPECT_EQ(timeline.tasks[2], TaskTimes{});
  EXPECT_EQ(timeline.makespan(), Duration{20});  // last waits for nobody, b only for a
}

TEST(DispatcherGraphs, SpawningCostsTheOneWhoResolves) {
  World world(1);
  world.machine.constants.spawn = Nanoseconds{30};
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}});
  builder.set_spawner(builder.add_task("b", {.cost = {.time = Duration{10}}}), a);
  builder.set_spawner(builder.add_task("c", {.cost = {.time = Duration{10}}}), a);
  EXPECT_EQ(to_ns(world.run(std::move(builder).build()).tasks[1].ready), 10 + 2 * 30);
}

// --- chance, and the end ---

TEST(DispatcherChance, BackOffMakesDetectionLateByADraw) {
  World world(1);
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  world.design.backoff_ns = 40;
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) seen.insert(to_ns(world.run(graph, seed).tasks[1].ready) - 20);
  EXPECT_GT(seen.size(), 20u);
  EXPECT_GE(*seen.begin(), 0);
  EXPECT_LE(*seen.rbegin(), 40);
}

TEST(DispatcherChance, MailboxHopsVary) {
  World world(1);
  world.machine.constants.mailbox_hop = Nanoseconds{100};
  world.machine.constants.mailbox_hop_sigma = Nanoseconds{20};
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 2000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const TaskTimes task = world.run(independent(1, 10), seed).tasks[0];
    const auto hop = static_cast<double>((task.received - task.dispatched).count());
    sum += hop;
    squares += hop * hop;
  }
  const double mean = sum / kRuns;
  EXPECT_NEAR(mean, 100, 3 * 20 / std::sqrt(kRuns));
  EXPECT_NEAR(std::sqrt(squares / kRuns - mean * mean), 20, 1.5);
}

TEST(DispatcherTermination, EachSchemeHasItsCostAtTheEnd) {
  // Seen at 20 (control cores tell the cores at once), five cores, three dispatchers.
  World world(5, 3);
  world.machine.constants.mailbox_hop = Nanoseconds{8};
  world.machine.constants.control_hop = Nanoseconds{3};
  world.machine.constants.dispatch = Nanoseconds{2};
  const TaskGraph graph = independent(1, 10);
  const auto after_seen = [&](Termination termination) {
    world.design.termination = termination;
    const Timeline timeline = world.run(graph);
    EXPECT_EQ(to_ns(timeline.seen), 2 + 8 + 10);
    return to_ns(timeline.stopped) - to_ns(timeline.seen);
  };
  EXPECT_EQ(after_seen(Termination::kCounter), 8);
  EXPECT_EQ(after_seen(Termination::kVote), 2 * 2 * 3 + 8);   // two levels up, two down
  EXPECT_EQ(after_seen(Termination::kSentinels), 2 * 2 + 8);  // five sentinels, three at a time
}

}  // namespace
}  // namespace tasktwin::sim
