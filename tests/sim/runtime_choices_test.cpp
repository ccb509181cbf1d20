// Rings of orchestrators, event counters, counts known only in the run, distances, the host's build, and kernels that wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/run/outcome.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using World = DispatchedWorld;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A dispatcher and an orchestrator, who takes 100 ns for a task; news between them takes 7.
World submitted_world(int cores = 1) {
  World world(cores, 2);
  world.machine.device_control->submit = Nanoseconds{100};
  world.machine.device_control->hop = Nanoseconds{7};
  world.design.graph_build = GraphBuild::kDevice;
  return world;
}

TaskGraph with_traits(const std::vector<TaskTraits>& traits, std::int64_t time_ns, const std::vector<std::pair<int, int>>& edges = {}) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < traits.size(); ++i)
    builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{time_ns}}, .traits = builder.add_traits(traits[i])});
  for (const auto& [from, to] : edges) builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)));
  return std::move(builder).build();
}

std::vector<std::int64_t> ready(const Timeline& timeline) { return times(timeline, &TaskTimes::ready); }

TEST(Rings, AHeapOfTwoOutputsHoldsTheOrchestratorBackAsAWindowOfTwo) {
  World world = submitted_world();
  const TaskGraph graph = with_traits({3, {.output = 1024}}, 20);
  EXPECT_THAT(ready(world.run(graph)), ElementsAre(107, 207, 307));
  world.design.heap_kib = 2;
  EXPECT_THAT(ready(world.run(graph)), ElementsAre(107, 207, 307));
  world.design.heap_kib = 1;  // each waits for the one before: ended, seen, and a hop
  EXPECT_THAT(ready(world.run(graph)), ElementsAre(107, 241, 375));
  const TaskGraph unequal = with_traits({{.output = 1024}, {.output = 0}, {.output = 512}}, 20);
  EXPECT_THAT(ready(world.run(unequal)), ElementsAre(107, 207, 307)) << "t0 is retired at 127, before t2 asks for room";
}

TEST(Rings, AnOutputLargerThanTheHeapIsRefusedBeforeTheRun) {
  World world = submitted_world();
  world.design.heap_kib = 1;
  EXPECT_THAT(
      [&] {
        world.run(with_traits({{.output = 100}, {.output = 1025}}, 20));
      },
      ThrowsMessage<RunError>(AllOf(HasSubstr("a heap ring of 1 KiB is too small"), HasSubstr("'t1' does not fit in by itself"),
                                    HasSubstr("the smallest heap_kib that works is 2"))));
}

TEST(Rings, APoolOfOneDependencyWaitsForTheTaskThatHasIt) {
  World world = submitted_world(3);
  const TaskGraph graph = with_traits(std::vector<TaskTraits>(4), 200, {{0, 1}, {2, 3}});
  EXPECT_EQ(ready(world.run(graph)).back(), 507) << "as t2 ends, which is known at 307";
  world.design.dependency_pool = 1;  // t1 has it from 200 until it ends at 507; a hop, the submission of t3, a hop
  EXPECT_EQ(ready(world.run(graph)).back(), 507 + 7 + 100 + 7);
}

TEST(Rings, APoolThatATaskHoldsForAnEarlierOneToBeRetiredIsADeadlock) {
  World world = submitted_world();
  world.design.dependency_pool = 1;  // t2 has it, and is not retired before t1, which waits for t3 to complete
  EXPECT_THAT(
      [&] {
        world.run(with_traits(std::vector<TaskTraits>(4), 20, {{0, 2}, {1, 3}}));
      },
      ThrowsMessage<RunError>(AllOf(HasSubstr("a pool of 1 dependencies is too small"), HasSubstr("its successor 't3' has completed"),
                                    HasSubstr("the smallest dependency_pool that works is 2"))));
}

TEST(Rings, TasksOfAScopeAreRetiredOnlyOnceAllAreSubmitted) {
  World world = submitted_world();
  const TaskGraph graph = with_traits({{.scope = 1}, {.scope = 1}, {}, {}}, 20);
  world.design.window = 1;
  EXPECT_THAT([&] { world.run(graph); },
              ThrowsMessage<RunError>(AllOf(HasSubstr("'t0' is not retired before 't1', the last of its scope, is submitted"),
                                            HasSubstr("the smallest window that works is 2"))));
  world.design.window = 2;
  EXPECT_THAT(ready(world.run(graph)), ElementsAre(107, 207, 307, 407));
}

TEST(Rings, AnOrchestratorThatWaitsPastItsLimitEndsTheRun) {
  World world = submitted_world();
  world.design.window = 1;
  world.design.spin_limit_us = 1;
  const TaskGraph graph = independent(2, 5000);  // t1 waits from 100 until t0 has ended at 5107, and a hop
  EXPECT_THAT([&] { world.run(graph); },
              ThrowsMessage<RunError>(HasSubstr("waited 5014 ns for room in its window with task 't1', longer than spin_limit_us, 1")));
  world.design.spin_limit_us = 6;
  EXPECT_EQ(ready(world.run(graph)).back(), 5107 + 7 + 100 + 7);
}

/// Three producers of 10, 20 and 30 ns and three consumers of 10, by an event between them or by pairs.
TaskGraph three_to_three(bool event) {
  TaskGraphBuilder builder;
  for (int i = 1; i <= 3; ++i) builder.add_task("p" + std::to_string(i), {.cost = {.time = Duration{10 * i}}});
  for (int i = 1; i <= 3; ++i) builder.add_task("c" + std::to_string(i), {.cost = {.time = Duration{10}}});
  if (event) builder.add_task("e", {.kernel = Kernel::kEmpty, .operation = Operation::kEvent});
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (event) builder.add_edge(TaskId{i}, TaskId{6});
    if (event) builder.add_edge(TaskId{6}, TaskId{3 + i});
    for (std::uint32_t to = 3; to < 6 && !event; ++to) builder.add_edge(TaskId{i}, TaskId{to});
  }
  return std::move(builder).build();
}

TEST(Events, AProducerCountsDownOneCounterInsteadOfOneForEachConsumer) {
  Machine machine = plain_machine(3);
  machine.resident_cores->push_per_successor = Nanoseconds{5};
  const auto run = [&](bool event) { return simulate(three_to_three(event), machine, with_depth("shared-queue", 1)).timeline; };
  EXPECT_EQ(ready(run(false))[3], 30 + 3 * 5);
  const Timeline counted = run(true);
  EXPECT_EQ(ready(counted)[3], 30 + 5 + 3 * 5) << "whose last arrival then counts and pushes all consumers";
  EXPECT_EQ(counted.tasks[6].published, at_ns(35)) << "as its last producer";
  EXPECT_EQ(counted.tasks[6].core, kNoCore);
  EXPECT_EQ(three_to_three(true).edge_count(), 6u);
  EXPECT_EQ(three_to_three(false).edge_count(), 9u);
}

TEST(Events, ADispatcherResolvesTheCounterAndWhatItReleases) {
  World world(3);
  world.machine.device_control->resolve = Nanoseconds{7};
  EXPECT_EQ(ready(world.run(three_to_three(false)))[3], 10 + 9 * 7) << "the first takes until 31, when the others are seen";
  const Timeline counted = world.run(three_to_three(true));
  EXPECT_EQ(ready(counted)[3], 30 + 7 + 3 * 7);
  EXPECT_EQ(ready(counted)[5], ready(counted)[3]) << "all at once";
}

/// Counters of a graph that an orchestrator builds: those that come to zero after they are submitted a scheduler resolves, those that are
/// at zero as they come release at once.
TEST(Events, AreCountedDownWhereTheDeviceBuildsTheGraph) {
  for (const int submit : {1, 50}) {
    World world(3);
    world.machine.device_control->submit = Nanoseconds{static_cast<double>(submit)};
    world.machine.control_cores.count = 2;
    world.design.dispatchers = 1;
    world.design.graph_build = GraphBuild::kDevice;
    const Timeline timeline = world.run(three_to_three(true));
    for (const std::size_t consumer : {3, 4, 5}) {
      EXPECT_GE(timeline.tasks[consumer].started, timeline.tasks[2].ended) << submit;
      EXPECT_GE(timeline.tasks[consumer].started, timeline.tasks[6].published) << submit;
    }
    EXPECT_GE(to_ns(timeline.tasks[6].published), submit == 1 ? 30 : 4 * 50) << "it is the fourth task to be submitted";
    world.design.window = 7;
    EXPECT_EQ(world.run(three_to_three(true)).makespan(), timeline.makespan());
  }
}

TEST(Events, NoCoreRunsWhatOnlyJoins) {
  TaskGraphBuilder builder;
  const TaskId first = builder.add_task("p", {.cost = {.time = Duration{10}}});
  for (int i = 0; i < 200; ++i)
    builder.add_edge(first, builder.add_task("d" + std::to_string(i), {.kernel = Kernel::kEmpty, .operation = Operation::kEvent}));
  const TaskGraph graph = std::move(builder).build();
  const auto makespan = [&](int dispatchers) {
    World world(3);
    world.machine.device_control->submit = Nanoseconds{100};
    world.machine.device_control->resolve = Nanoseconds{5};
    world.machine.control_cores.count = 4;
    world.design.graph_build = GraphBuild::kDevice;
    world.design.dispatchers = dispatchers;
    return world.run(graph).makespan();
  };
  EXPECT_EQ(makespan(1), makespan(3)) << "all are resolved by the scheduler that sees their predecessor, or as they are submitted";
}

/// However many, without a call for each within that for the one before.
TEST(Events, FollowEachOther) {
  constexpr std::size_t kEvents = 200'000;
  TaskGraphBuilder builder;
  TaskId before = builder.add_task("first", {.cost = {.time = Duration{10}}});
  const auto add = [&](const Task& task) {
    const TaskId next = builder.add_task("", task);
    builder.add_edge(before, next);
    before = next;
  };
  for (std::size_t i = 0; i < kEvents; ++i) add({.kernel = Kernel::kEmpty, .operation = Operation::kEvent});
  add({.cost = {.time = Duration{10}}});
  const TaskGraph graph = std::move(builder).build();
  const auto last = [&](const Timeline& timeline) { return timeline.tasks[kEvents + 1]; };
  for (const char* const name : {"shared-queue", "static-queues", "central-dispatcher"}) {
    const Timeline timeline = simulate(graph, plain_machine(3), with_depth(name, 1)).timeline;
    EXPECT_GE(last(timeline).started, timeline.tasks[0].ended) << name;
  }
  World world(3);
  world.machine.device_control->submit = Nanoseconds{1};
  world.machine.control_cores.count = 2;
  world.design.dispatchers = 1;
  world.design.graph_build = GraphBuild::kDevice;
  world.design.early_dispatch = EarlyDispatch::kOn;
  const Timeline timeline = world.run(graph);
  EXPECT_GE(last(timeline).started, timeline.tasks[0].ended);
}

TEST(Events, ListsWaitForThem) {
  const Timeline timeline = simulate(three_to_three(true), plain_machine(3), with_depth("static-queues", 1)).timeline;
  for (const std::size_t consumer : {3, 4, 5}) EXPECT_EQ(to_ns(timeline.tasks[consumer].started), 30);
  EXPECT_EQ(timeline.makespan(), Duration{40});
}

TEST(Events, ListsSeeThemWhoeverCountedThemDown) {
  Machine machine = plain_machine(3);
  machine.resident_cores->counter_hop = Nanoseconds{8};
  machine.memory->read_latency = Nanoseconds{2};
  for (const Notification notification : {Notification::kCounter, Notification::kFlag}) {
    Design design = with_depth("static-queues", 1);
    design.notification = notification;
    const Timeline timeline = simulate(three_to_three(true), machine, design).timeline;
    for (const std::size_t consumer : {3, 4, 5}) EXPECT_EQ(to_ns(timeline.tasks[consumer].received), 38) << to_word(notification);
  }
}

TEST(Events, AreTheEdgesThatTheyStandForWhereNobodyCountsThem) {
  const Machine machine = plain_machine(3);
  for (const Design& design : {named_design("cuda-streams"), named_design("cuda-graph"), named_design("layer-barrier"),
                               named_design("dynamic-parallelism"), named_design("device-graph-launch")}) {
    const Timeline joined = simulate(three_to_three(true), machine, design).timeline;
    const Timeline pairs = simulate(three_to_three(false), machine, design).timeline;
    EXPECT_EQ(joined.makespan(), pairs.makespan()) << design.name;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(joined.tasks[i], pairs.tasks[i]) << design.name << i;
    const bool launches = design.driver == Driver::kDynamicParallelism;
    const auto done = [&](std::size_t i) { return launches ? joined.tasks[i].ended : finish(joined.tasks[i]); };
    EXPECT_EQ(joined.tasks[6].ended, std::max({done(0), done(1), done(2)})) << design.name;
    EXPECT_EQ(joined.tasks[6].core, kNoCore);
  }
}

/// A root that spawns four, and a task behind all of them.
TaskGraph spawning(std::int32_t least, std::int32_t most) {
  TaskGraphBuilder builder;
  builder.add_task("root", {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.spawn_count = std::array{least, most}})});
  for (std::uint32_t i = 1; i <= 4; ++i) {
    builder.add_task("child" + std::to_string(i), {.cost = {.time = Duration{10}}});
    builder.set_spawner(TaskId{i}, TaskId{0});
  }
  builder.add_task("join", {.cost = {.time = Duration{10}}});
  for (std::uint32_t i = 1; i <= 4; ++i) builder.add_edge(TaskId{i}, TaskId{5});
  return std::move(builder).build();
}

TEST(SpawnCounts, TheFirstSoManyComeToBeAndNobodyWaitsForTheOthers) {
  const Timeline timeline = simulate(spawning(2, 2), plain_machine(1), with_depth("shared-queue", 1)).timeline;
  EXPECT_TRUE(is_present(timeline.tasks[2].started));
  EXPECT_FALSE(is_present(timeline.tasks[3].started));
  EXPECT_EQ(timeline.makespan(), Duration{10 + 2 * 10 + 10});
}

TEST(SpawnCounts, AreDrawnBetweenTheLeastAndTheMostForEachSeed) {
  std::array<int, 5> drawn{};
  const TaskGraph graph = spawning(1, 3);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Outcome outcome = draw_outcome(graph, seed);
    ++drawn[static_cast<std::size_t>(std::count(outcome.exists.begin() + 1, outcome.exists.begin() + 5, true))];
  }
  EXPECT_THAT(drawn, ElementsAre(0, testing::Gt(60), testing::Gt(60), testing::Gt(60), 0));
}

TEST(Distances, HopsBetweenPackagesTakeLonger) {
  World world = submitted_world();
  world.machine.distances->package_hop = Nanoseconds{30};
  EXPECT_EQ(ready(world.run(independent(1, 20))).front(), 107) << "one package";
  world.machine.distances->control_package = 1;
  EXPECT_EQ(ready(world.run(independent(1, 20))).front(), 137);
}

TEST(Distances, ACompletionGoesToAResolverAndBackThroughThePackages) {
  World world(1, 2);
  world.machine.device_control->hop = Nanoseconds{7};
  world.design.dispatchers = 1;
  world.design.resolvers = 1;
  const TaskGraph chain = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  EXPECT_EQ(ready(world.run(chain)).back(), 20 + 2 * 7);
  world.machine.distances->control_package = 1;
  world.machine.distances->package_hop = Nanoseconds{30};
  EXPECT_EQ(ready(world.run(chain)).back(), 20 + 2 * 37);
}

TEST(Distances, ACounterIsSeenLaterOnAnotherDie) {
  Machine machine = plain_machine(4);
  machine.resident_cores->counter_hop = Nanoseconds{10};
  machine.distances->compute_die = 2;
  machine.distances->die_hop = Nanoseconds{40};
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;  // a, b on die 0, c and d on die 1
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 5}, {"c", 5}, {"d", 5}}, {{0, 1}, {0, 2}});
  const Timeline timeline = simulate(graph, machine, design).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(0, 110, 150, 0));
}

TEST(HostBuild, IsBeforeTheRunWhereItIsTimed) {
  World world(1);
  world.machine.host_build = mechanism::HostBuild{.run = Nanoseconds{1000},
                                                  .task = Nanoseconds{10},
                                                  .dependency = Nanoseconds{5},
                                                  .upload = Nanoseconds{200},
                                                  .upload_task = Nanoseconds{3}};
  const TaskGraph chain = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  EXPECT_EQ(to_ns(world.run(chain).tasks[0].started), 0);
  world.design.host_build = HostBuild::kTimed;
  EXPECT_EQ(to_ns(world.run(chain).tasks[0].started), 1000 + 2 * 10 + 5 + 200 + 2 * 3);
  world.machine.host_build.reset();
  EXPECT_THAT([&] { world.run(chain); }, ThrowsMessage<InputError>(HasSubstr("needs 'host_build'")));
}

/// Two kernels of so many blocks that wait for each other, launched 10 ns apart into a stream each.
Timeline meet(int first, int second, std::vector<std::pair<int, int>> edges = {}, int streams = 2, const char* named = "cuda-streams") {
  Machine machine = plain_machine(3);
  machine.host_calls->launch = Nanoseconds{10};
  Design design = named_design(named);
  if (design.driver == Driver::kStreams) design.streams = streams;
  return simulate(with_traits({{.blocks = first, .co_resident = 1}, {.blocks = second, .co_resident = 1}}, 100, edges), machine, design)
      .timeline;
}

TEST(Meetings, BodiesBeginOnceAllBlocksAreThere) {
  const Timeline timeline = meet(1, 2);
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(0, 10));
  EXPECT_THAT(times(timeline, &TaskTimes::ended), ElementsAre(110, 110));
}

TEST(Meetings, ThatCannotBeAreRefusedAsAHang) {
  const auto refused = [](const auto& run, const char* why) {
    EXPECT_THAT(run, ThrowsMessage<InputError>(AllOf(HasSubstr("'t0' and 't1' wait for each other"), HasSubstr(why))));
  };
  refused([] { meet(2, 2); }, "of the 2 blocks of 't1' 1 find room beside the blocks of the others, so none of them ever ends");
  refused([] { meet(1, 1, {}, 1); }, "'t0' and 't1' are in one stream");
  refused([] { meet(1, 1, {{0, 1}}); }, "'t1' begins only when 't0' has ended");
  refused([] { meet(1, 1, {}, 0, "shared-queue"); }, "driver 'persistent' promises of no two tasks that both run at a time");
}

TEST(Meetings, TheBlocksOfOneNeedRoomAtOnce) {
  const auto alone = [](int blocks, const char* named) {
    simulate(with_traits({{.blocks = blocks, .co_resident = 1}}, 100), plain_machine(3), named_design(named));
  };
  alone(3, "cuda-streams");
  EXPECT_THAT([&] { alone(4, "cuda-streams"); }, ThrowsMessage<InputError>(AllOf(HasSubstr("the blocks of task 't0' wait for each other"),
                                                                                 HasSubstr("3 find room, so none of them ever ends"))));
  EXPECT_THAT([&] { alone(4, "cuda-graph"); }, ThrowsMessage<InputError>(HasSubstr("3 find room")));
}

/// Kernels of 100 ns, launched 10 ns apart into a stream each, on three cores.
Timeline cooperate(const std::vector<TaskTraits>& traits, const char* named = "cuda-streams") {
  Machine machine = plain_machine(3);
  machine.host_calls->launch = Nanoseconds{10};
  Design design = named_design(named);
  if (design.driver == Driver::kStreams) design.streams = static_cast<int>(traits.size());
  return simulate(with_traits(traits, 100), machine, design).timeline;
}

TEST(Cooperation, NoBlockStartsBeforeAllHaveRoom) {
  const TaskTraits two{.blocks = 2};
  const TaskTraits cooperative{.blocks = 2, .cooperative = true};
  EXPECT_THAT(times(cooperate({two, two}), &TaskTimes::started), ElementsAre(0, 10));
  EXPECT_THAT(times(cooperate({two, cooperative}), &TaskTimes::started), ElementsAre(0, 100));
  EXPECT_THAT(times(cooperate({{.blocks = 1}, cooperative}), &TaskTimes::started), ElementsAre(0, 10));
  EXPECT_THAT(times(cooperate({two, cooperative}, "cuda-graph"), &TaskTimes::started), ElementsAre(0, 100));
  for (const BlockTimes& block : cooperate({two, cooperative}).blocks) {
    if (block.task == task_id(1)) {
      EXPECT_EQ(to_ns(block.started), 100);
    }
  }
}

TEST(Cooperation, HoldsNothingWhileItWaits) {
  const TaskTraits cooperative{.blocks = 2, .cooperative = true};
  const TaskTraits all{.blocks = 3, .cooperative = true};
  EXPECT_THAT(times(cooperate({cooperative, cooperative, all}), &TaskTimes::started), ElementsAre(0, 100, 200));
  EXPECT_THAT(times(cooperate({cooperative, cooperative, {.blocks = 1}}), &TaskTimes::started), ElementsAre(0, 100, 100))
      << "later kernels wait behind one that has come to its turn";
}

TEST(Cooperation, OfMoreBlocksThanEverFitIsRefusedWithHowManyDo) {
  const auto refused = [](std::vector<TaskTraits> traits, const char* design, const char* why) {
    EXPECT_THAT([&] { cooperate(traits, design); }, ThrowsMessage<InputError>(AllOf(HasSubstr("task 't0' is cooperative"), HasSubstr(why))))
        << design;
  };
  const TaskTraits four{.blocks = 4, .cooperative = true};
  for (const char* design : {"cuda-streams", "cuda-graph"}) refused({four}, design, "but of its 4 blocks 3 find room at once on a device");
  EXPECT_NO_THROW(cooperate({{.blocks = 3, .cooperative = true}}));
  const TaskTraits two{.blocks = 2, .cooperative = true};
  refused({two}, "work-stealing", "workers take its 2 blocks one by one");
  refused({two}, "dynamic-parallelism", "driver 'dynamic_parallelism' launches on the device");
  EXPECT_NO_THROW(cooperate({two}, "central-dispatcher"));
}

}  // namespace
}  // namespace tasktwin::sim
