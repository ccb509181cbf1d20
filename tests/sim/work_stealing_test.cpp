#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/runtimes/runtimes.hpp"
#include "tests/sim/random_cases.hpp"
#include "tests/sim/worker_queue_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

TEST(WorkStealing, WhatAWorkerReleasesWaitsInItsOwnQueue) {
  Machine machine = plain_machine(2);
  machine.ready_queues->take = Nanoseconds{3};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}}, {{0, 1}, {0, 2}});
  const Timeline timeline = run(graph, machine, stealing(Stealing::kOff));
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 0, 0));  // worker 1 idles
  EXPECT_THAT(starts_of(timeline), ElementsAre(3, 16, 29));
}

TEST(WorkStealing, RootsAreDealtOutInTurn) {
  const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}}), plain_machine(3), stealing(Stealing::kOff));
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 1, 2, 0));
}

TEST(WorkStealing, TaskForAnotherCoreTypeGoesToTheNextWorkerOfThatType) {
  Machine machine = plain_machine(1);
  machine.compute_cores = {{.type = CoreType::kAic, .count = 2}, {.type = CoreType::kAiv, .count = 2}};
  machine.ready_queues->steal_hop = Nanoseconds{7};
  const TaskGraph graph = small_graph({{"a", 10, 0, CoreType::kAic}, {"v", 10, 0, CoreType::kAiv}}, {{0, 1}});
  const Timeline timeline = run(graph, machine, stealing(Stealing::kOne));
  EXPECT_EQ(timeline.tasks[1].core, core_id(2));
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 17);
}

TEST(WorkStealing, WorkerTakesItsNextTaskWhenThereIsRoom) {
  Machine machine = plain_machine(1);
  machine.ready_queues->take = Nanoseconds{3};
  const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}}), machine, stealing(Stealing::kOff));
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 13);
  EXPECT_THAT(starts_of(timeline), ElementsAre(3, 16));
}

/// All take 5 ns to look at their own queues. Worker 0 runs a, then b; worker 1 runs x until 10, finds its own queue empty until 15, and
/// looks at the others then; worker 2 is busy. Returns when worker 1 gets c, which a released.
TimePoint stolen(std::int64_t a) {
  Machine machine = plain_machine(3);
  machine.ready_queues->take = Nanoseconds{5};
  machine.ready_queues->steal = Nanoseconds{20};
  machine.ready_queues->steal_hop = Nanoseconds{27};
  const TaskGraph graph = small_graph({{"a", a}, {"x", 5}, {"y", 500}, {"b", 100}, {"c", 10}}, {{0, 3}, {0, 4}});
  const Timeline timeline = run(graph, machine, stealing(Stealing::kOne));
  EXPECT_EQ(timeline.tasks[3].core, core_id(0));
  EXPECT_EQ(timeline.tasks[3].started, timeline.tasks[0].published + Duration{5});
  EXPECT_EQ(timeline.tasks[4].core, core_id(1));
  return timeline.tasks[4].received;
}

TEST(WorkStealing, AThiefFindsWhatIsThereWhenItHasSeenItsOwnQueueEmpty) {
  for (const std::int64_t a : {4, 9, 10}) EXPECT_EQ(to_ns(stolen(a)), 10 + 20);
}

TEST(WorkStealing, WhoFoundNothingInARoundHasTheTaskSoLongAfterThePushAndALook) {
  for (const std::int64_t a : {11, 16}) {
    EXPECT_GE(to_ns(stolen(a)), 5 + a + 27);
    EXPECT_LE(to_ns(stolen(a)), 5 + a + 27 + 5) << "a round later at most";
  }
}

/// How long after the push b starts on average, if so many workers look for something all the time.
double noticed_after(int thieves) {
  Machine machine = plain_machine(1 + thieves);
  machine.ready_queues->take = Nanoseconds{1000};
  double sum = 0;
  constexpr int kSeeds = 400;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    // c keeps the worker that has run a and finds b and c first.
    const Timeline timeline = run(small_graph({{"a", 5000}, {"c", 9000}, {"b", 10}}, {{0, 1}, {0, 2}}), machine, stealing(Stealing::kOne),
                                  static_cast<std::uint64_t>(seed));
    sum += static_cast<double>(to_ns(timeline.tasks[2].started - timeline.tasks[0].published));
  }
  return sum / kSeeds;
}

TEST(WorkStealing, TheMoreThievesLookTheSoonerOneComesAcrossATask) {
  // Two tasks are pushed, and each is come across by the first of those who still look: the earlier of the two by 1 / 2 k of a round.
  EXPECT_NEAR(noticed_after(1), 500, 75);
  EXPECT_NEAR(noticed_after(3), 1000.0 / 6, 30);
  EXPECT_NEAR(noticed_after(9), 1000.0 / 18, 12);
}

TEST(WorkStealing, LengthsAreReadThirtyTwoAtATime) {
  const auto has_read_all = [](int workers) {  // worker 0, through with its task at 60, and with its own queue at 110
    Machine machine = plain_machine(workers);
    machine.ready_queues->steal = machine.ready_queues->take = Nanoseconds{50};
    machine.memory->read_latency = Nanoseconds{7};
    std::vector<SmallTask> tasks(static_cast<std::size_t>(workers), {"x", 1000});
    tasks[0] = {"a", 10};
    tasks[1] = {"b", 40};
    tasks.push_back({"c", 1000});
    tasks.push_back({"d", 1000});
    const auto c = static_cast<std::uint32_t>(workers);
    Design design = stealing(Stealing::kOne);
    design.victim = Victim::kMostLoaded;
    return to_ns(run(small_graph(tasks, {{1, c}, {1, c + 1}}), machine, design).tasks[c + 1].started);
  };
  EXPECT_EQ(has_read_all(20), 60 + 50);
  EXPECT_EQ(has_read_all(33), 60 + 50);
  EXPECT_EQ(has_read_all(34), 60 + 50 + 2 * 7);
  EXPECT_EQ(has_read_all(66), 60 + 50 + 2 * 2 * 7);
}

TEST(WorkStealing, WorkerIsWokenByAPushToItsOwnQueue) {
  Machine machine = plain_machine(2);
  machine.ready_queues->steal_hop = Nanoseconds{7};
  machine.resident_cores->release = Nanoseconds{6};
  // Worker 0 looks in vain at 10, its task being published at 16 only.
  EXPECT_EQ(to_ns(run(small_graph({{"a", 10}, {"b", 10}}, {{0, 1}}), machine, stealing(Stealing::kOff)).tasks[1].started), 23);
}

/// a releases five tasks of 100 ns; worker 0 takes the first of them, worker 1 steals.
Timeline five(Design design) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}};
  return run(small_graph({{"a", 10}, {"1", 100}, {"2", 100}, {"3", 100}, {"4", 100}, {"5", 100}}, edges), plain_machine(2), design);
}

TEST(WorkStealing, OneIsTakenFromTheFarEnd) {
  const Timeline timeline = five(stealing(Stealing::kOne));
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_THAT(starts_of(timeline), ElementsAre(0, 10, 110, 210, 110, 10));
}

TEST(WorkStealing, HalfIsTakenRoundedUpAndTheFirstOfThemRuns) {
  const Timeline timeline = five(stealing(Stealing::kHalf));  // two of 2, 3, 4, 5
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_THAT(starts_of(timeline), ElementsAre(0, 10, 110, 210, 10, 110));
}

TEST(WorkStealing, BatchIsTakenAsFarAsThereIsOne) {
  Design design = stealing(Stealing::kBatch);
  design.steal_batch = 3;
  EXPECT_THAT(cores_of(five(design)), ElementsAre(0, 0, 0, 1, 1, 0));  // both are free at 210, worker 0 looks first
  EXPECT_THAT(starts_of(five(design)), ElementsAre(0, 10, 110, 10, 110, 210));
  design.steal_batch = 100;
  EXPECT_THAT(starts_of(five(design)), ElementsAre(0, 10, 10, 110, 110, 210));  // 2 to 5; worker 0 steals 3 to 5 back
}

TEST(WorkStealing, UnderLifoTheOwnerTakesTheNewestAndAThiefTheOldest) {
  Design design = stealing(Stealing::kOne);
  design.order = TaskOrder::kLifo;
  EXPECT_THAT(starts_of(five(design)), ElementsAre(0, 10, 110, 210, 110, 10));
  EXPECT_THAT(cores_of(five(design)), ElementsAre(0, 1, 1, 0, 0, 0));
  design.stealing = Stealing::kHalf;  // 1 and 2, the newer first
  EXPECT_THAT(starts_of(five(design)), ElementsAre(0, 110, 10, 210, 110, 10));
}

/// Worker 1 is through with its own tasks first, at 2, when worker 0 has two waiting and worker 2 one. Returns what it steals.
std::size_t first_theft(Victim victim, std::uint64_t seed) {
  Design design = stealing(Stealing::kOne);
  design.victim = victim;
  const Timeline timeline =
      run(small_graph({{"0", 100}, {"1", 1}, {"2", 100}, {"3", 100}, {"4", 1}, {"5", 100}, {"6", 100}}), plain_machine(3), design, seed);
  EXPECT_EQ(to_ns(timeline.tasks[4].ended), 2);
  for (const std::size_t task : {3u, 5u, 6u}) {
    if (timeline.tasks[task].started == at_ns(2)) return task;
  }
  return 0;
}

TEST(WorkStealing, VictimsAreTriedAsThePolicySays) {
  EXPECT_EQ(first_theft(Victim::kNext, 1), 5u);        // worker 2
  EXPECT_EQ(first_theft(Victim::kNearest, 1), 5u);     // worker 2
  EXPECT_EQ(first_theft(Victim::kMostLoaded, 1), 6u);  // worker 0
  std::set<std::size_t> random;
  for (std::uint64_t seed = 0; seed < 30; ++seed) random.insert(first_theft(Victim::kRandom, seed));
  EXPECT_EQ(random, (std::set<std::size_t>{5, 6}));
}

TEST(WorkStealing, QueueIsHeldByPushesTakesAndThefts) {
  Machine machine = plain_machine(3);
  machine.ready_queues->service = Nanoseconds{6};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 100}, {"c", 100}, {"d", 100}}, {{0, 1}, {0, 2}, {0, 3}});
  const Timeline timeline = run(graph, machine, stealing(Stealing::kOne));
  EXPECT_EQ(to_ns(timeline.tasks[0].dispatched), 12);  // pushed until 6, taken until 12
  // Published at 22; b, c, d are pushed until 28, 34, 40. b's owner, c's and d's thieves wait for the queue in that order.
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 46);
  EXPECT_EQ(to_ns(timeline.tasks[2].received), 52);
  EXPECT_EQ(to_ns(timeline.tasks[3].received), 58);
}

TEST(WorkStealing, WokenWorkerNoticesLateByADrawUpToTheBackoff) {
  Machine machine = plain_machine(2);
  machine.ready_queues->steal_hop = Nanoseconds{7};
  Design design = stealing(Stealing::kOne);
  design.backoff_ns = 2;
  std::set<std::int64_t> starts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Timeline timeline = run(small_graph({{"a", 10}, {"b", 50}, {"c", 50}}, {{0, 1}, {0, 2}}), machine, design, seed);
    EXPECT_EQ(to_ns(timeline.tasks[1].started), 10);
    starts.insert(to_ns(timeline.tasks[2].started));
  }
  EXPECT_EQ(starts, (std::set<std::int64_t>{17, 18, 19}));
}

TEST(WorkStealing, BlocksAreStolenOneByOne) {
  TaskGraphBuilder builder;
  builder.add_task("a", {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.blocks = 3})});
  const TaskGraph graph = std::move(builder).build();
  Design design = stealing(Stealing::kOne);
  design.gang = Gang::kApart;
  EXPECT_EQ(run(graph, plain_machine(2), design).makespan(), Duration{20});
  EXPECT_EQ(run(graph, plain_machine(3), design).makespan(), Duration{10});
  design.stealing = Stealing::kOff, design.victim = Design{}.victim;
  EXPECT_EQ(run(graph, plain_machine(3), design).makespan(), Duration{30});
}

TEST(WorkStealing, TaskMadeKnownByAnOrchestratorIsDealtOut) {
  Machine machine = plain_machine(2);
  machine.device_control->submit = Nanoseconds{20};
  machine.ready_queues->steal_hop = Nanoseconds{7};
  Design design = stealing(Stealing::kOff);
  design.graph_build = GraphBuild::kDevice;
  const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}, {"c", 10}}), machine, design);
  EXPECT_THAT(cores_of(timeline), ElementsAre(0, 1, 0));
  EXPECT_THAT(starts_of(timeline), ElementsAre(27, 47, 67));
}

TEST(WorkStealing, FetchingTakesLongerWhereTheCacheIsEmpty) {
  Machine machine = plain_machine(1);
  machine.memory_limits.cache = 100;
  machine.ready_queues->take = Nanoseconds{3};
  machine.ready_queues->uncached_fetch = Nanoseconds{5};
  const auto received = [&](Kernel kernel) {
    TaskGraphBuilder builder;
    builder.add_task("t", {.kernel = kernel});
    return to_ns(run(std::move(builder).build(), machine, stealing(Stealing::kOff)).tasks[0].received);
  };
  EXPECT_EQ(received(Kernel::kStream), 3 + 5);
  EXPECT_EQ(received(Kernel::kEmpty), 3);
}

/// Nanoseconds for which cores of `type` run bodies between two moments.
std::int64_t busy(const TaskGraph& graph, const Timeline& timeline, CoreType type, TimePoint from, TimePoint to) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (graph[task_id(i)].core_type == type)
      sum += std::max<std::int64_t>(0, to_ns(std::min(to, times.ended) - std::max(from, times.started)));
  }
  return sum;
}

class WhereNothingTakesTime : public testing::TestWithParam<Design> {};

TEST_P(WhereNothingTakesTime, NoWorkerIdlesWhileATaskItCouldTakeWaits) {
  Machine machine = plain_machine(1);
  machine.compute_cores = {{.type = CoreType::kAic, .count = 3}, {.type = CoreType::kAiv, .count = 2}};
  for (std::uint64_t number = 0; number < 300; ++number) {
    const TaskGraph graph = random_case(named_design("work-stealing"), number).graph;
    Design design = GetParam();
    design.victim = Words<Victim>::entries[number % 4].first;
    const Timeline timeline = run(graph, machine, design, number);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = timeline.tasks[i];
      const CoreType type = graph[task_id(i)].core_type;
      const std::int64_t all = (type == CoreType::kAic ? 3 : 2) * to_ns(times.started - times.ready);
      ASSERT_EQ(busy(graph, timeline, type, times.ready, times.started), all) << "case " << number << ", task " << i;
    }
  }
}

std::vector<Design> greedy_designs() {
  std::vector<Design> designs;
  for (const Stealing amount : {Stealing::kOne, Stealing::kHalf, Stealing::kBatch}) {
    designs.push_back(stealing(amount));
    designs.push_back(stealing(amount));
    designs.back().order = TaskOrder::kCriticalPath;
    designs.push_back(stealing(amount));
    designs.back().placement = Placement::kRoundRobin;
    designs.push_back(hybrid(50));
    designs.back().stealing = amount;
    designs.push_back(stealing(amount));
    designs.back().ready_queue = ReadyQueue::kSharded;
    designs.back().shards = 2;
  }
  return designs;
}

INSTANTIATE_TEST_SUITE_P(Designs, WhereNothingTakesTime, testing::ValuesIn(greedy_designs()));

}  // namespace
}  // namespace tasktwin::sim
