// What dispatchers read of a Design, on graphs small enough to follow by hand; constants are zero unless set:
// the loop, roles, chance and the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "models/base/error.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using World = DispatchedWorld;

// --- loop, sweep, ownership ---

TEST(DispatcherLoop, LongCompleteStepDelaysTheHandOver) {
  // Both cores complete at 10; taking in takes 100 each.
  World world(2);
  world.machine.device_control->complete = Nanoseconds{100};
  const TaskGraph graph = independent(4, 10);
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 210, 210));
  world.design.loop = Loop::kInterleaved;
  EXPECT_THAT(dispatched(world.run(graph)), ElementsAre(0, 0, 110, 210));
}

TEST(DispatcherLoop, InterleavedSweepGoesOnFromTheCoreAfterTheLast) {
  // Four cores end together at 40; polling one takes 10, so each completion costs one poll, in the order of the cores. The
  // dispatcher polls all four from 0 to 40 before it can hand over and once more until 80.
  World world(4);
  world.machine.device_control->poll_per_core = Nanoseconds{10};
  world.design.loop = Loop::kInterleaved;
  const TaskGraph graph = small_graph({{"a", 40}, {"b", 40}, {"c", 40}, {"d", 40}, {"e", 1}, {"f", 1}}, {{0, 4}, {2, 5}});
  const Timeline timeline = world.run(graph);
  EXPECT_THAT(dispatched(timeline), ElementsAre(40, 40, 40, 40, 90, 110));
}

TEST(DispatcherSweep, PollsAllCoresOrOnlyThoseThatHoldATask) {
  World world(4);
  world.machine.device_control->poll_per_core = Nanoseconds{10};
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
  world.machine.device_control->complete = Nanoseconds{100};
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
  world.machine.device_control->complete = Nanoseconds{10};
  world.machine.device_control->resolve = Nanoseconds{50};
  world.machine.device_control->hop = Nanoseconds{5};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  world.design.dispatchers = 1;
  EXPECT_EQ(to_ns(world.run(graph).tasks[1].dispatched), 20 + 10 + 50);
  world.design.resolvers = 1;
  const Timeline timeline = world.run(graph);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 20 + 10 + 5 + 50 + 5);
  EXPECT_THAT(timeline.roles, ElementsAre(ControlRole::kScheduler, ControlRole::kResolver));
  EXPECT_THAT(timeline.dispatchers[1], ElementsAre(Span{at_ns(35), at_ns(85)}));
  EXPECT_THAT(timeline.dispatchers[0].front(), (Span{at_ns(20), at_ns(30)}));
}

TEST(DispatcherRoles, OrchestratorMakesTasksKnownOneAfterTheOther) {
  World world(2, 3);
  world.machine.device_control->submit = Nanoseconds{100};
  world.design.graph_build = GraphBuild::kDevice;
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}}, {{0, 1}});
  EXPECT_THAT(times(world.run(graph), &TaskTimes::ready), ElementsAre(100, 200, 300));
  world.design.orchestrators = 2;  // the second submits b alone
  EXPECT_THAT(times(world.run(graph), &TaskTimes::ready), ElementsAre(100, 120, 200));
}

TEST(DispatcherRoles, WindowHoldsTheOrchestratorBack) {
  World world(1, 2);
  world.machine.device_control->submit = Nanoseconds{100};
  world.machine.device_control->hop = Nanoseconds{7};
  world.design.graph_build = GraphBuild::kDevice;
  const TaskGraph graph = independent(3, 20);
  world.design.window = 2;  // t0 is retired at 127, before t2 waits for it; each is known a hop after it is submitted
  EXPECT_THAT(times(world.run(graph), &TaskTimes::ready), ElementsAre(107, 207, 307));
  world.design.window = 1;  // each waits for the one before: ended, seen, and a hop
  EXPECT_THAT(times(world.run(graph), &TaskTimes::ready), ElementsAre(107, 241, 375));
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
  world.machine.device_control->complete = Nanoseconds{100};
  world.machine.device_control->resolve = Nanoseconds{10};
  world.machine.control_cores.code_scale = 0.5;
  EXPECT_EQ(to_ns(world.run(small_graph({{"a", 20}, {"b", 20}}, {{0, 1}})).tasks[1].ready), 20 + 50 + 10);
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
  world.machine.device_control->spawn = Nanoseconds{30};
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}});
  builder.set_spawner(builder.add_task("b", {.cost = {.time = Duration{10}}}), a);
  builder.set_spawner(builder.add_task("c", {.cost = {.time = Duration{10}}}), a);
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(to_ns(world.run(graph).tasks[1].ready), 10 + 2 * 30);
  world.machine.control_cores.lanes = 2;
  EXPECT_EQ(to_ns(world.run(graph).tasks[1].ready), 10 + 30) << "in the head of a row";
}

TEST(DispatcherGraphs, LanesMakeSpawnedTasksKnownByHeadsOfRowsAndThenOneEach) {
  World world(2);
  world.machine.device_control->spawn = Nanoseconds{30};
  world.machine.control_cores.lanes = 2;
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}});
  const TaskId b = builder.add_task("b", {.cost = {.time = Duration{10}}});
  for (int i = 0; i < 6; ++i)
    builder.set_spawner(builder.add_task("child" + std::to_string(i), {.cost = {.time = Duration{10}}}), i < 5 ? a : b);
  // Both end at 10. A lot: the four of a's head and the one of b's; another: what a has beyond them.
  EXPECT_EQ(to_ns(world.run(std::move(builder).build()).tasks.back().ready), 10 + 2 * 30);
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
  world.machine.device_mailboxes->hop = Nanoseconds{100};
  world.machine.device_mailboxes->hop_sigma = Nanoseconds{20};
  const TaskGraph graph = independent(1, 10);
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 2000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const TaskTimes task = world.run(graph, seed).tasks[0];
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
  world.machine.device_mailboxes->hop = Nanoseconds{8};
  world.machine.device_control->hop = Nanoseconds{3};
  world.machine.device_control->dispatch = Nanoseconds{2};
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
