// What dispatchers read of a Design, on graphs small enough to follow by hand; constants are zero unless set:
// placement, filling, gangs and core types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using World = DispatchedWorld;

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
  world.machine.memory->bandwidth = world.machine.memory->core_bandwidth = 1;
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

TEST(DispatcherFill, TailIsOfBlocks) {
  World world(2);
  world.design.mailbox_depth = 3;
  world.design.gang = Gang::kApart;
  world.design.fill = Fill::kNotInTail;
  TaskGraphBuilder builder;
  for (const char* name : {"u", "v", "w"})
    builder.add_task(name, {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.blocks = 2})});
  // After u four blocks are left, more than cores: both of v are given ahead. Then two are, which wait for idle cores.
  EXPECT_THAT(dispatched(world.run(std::move(builder).build())), ElementsAre(0, 0, 20));
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

TEST(DispatcherGangs, CohortWiderThanADispatchersShareIsPlacedOnTheCoresOfAll) {
  World world(4, 2);
  EXPECT_EQ(world.run(wide_between(3)).tasks[1].core, core_id(1));
  world.design.ownership = Ownership::kShared;
  EXPECT_EQ(world.run(wide_between(3)).tasks[1].core, core_id(1)) << "as where all cores are everybody's";
}

TEST(DispatcherGangs, CohortWiderThanADispatchersShareIsRefusedWhereQueuesAreTheirOwn) {
  World world(4, 2);
  world.design.ready_queue = ReadyQueue::kPerDispatcher;
  try {
    world.run(wide_between(3));
    FAIL() << "ran";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "task 'w' needs 3 cores of type 'sm' at once; under design 'tested' a dispatcher owns at most 2 "
                 "(ownership 'shared' would give it all, and ready_queue 'shared' or 'per_core_type' let one dispatcher place it on the "
                 "cores of all)");
  }
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
  EXPECT_THAT(times(timeline, &TaskTimes::ended), ElementsAre(100, 150, 200));
}

}  // namespace
}  // namespace tasktwin::sim
