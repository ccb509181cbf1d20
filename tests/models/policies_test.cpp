#include "models/policies.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::random_graph;
using testing_graphs::times_of;

/// A task a letter, all ready at once in the order a, b, c, d; behind them e (of a and d), f (of d), g (of d).
/// Times 30, 10, 40, 20, 50, 1, 1; priorities 0, 5, -3, 5.
TaskGraph hand_graph() {
  TaskGraphBuilder builder;
  const auto add = [&builder](const char* name, int time, int priority) {
    return builder.add_task(name, {.cost = {.time = Duration{time}}, .priority = priority});
  };
  const TaskId a = add("a", 30, 0);
  add("b", 10, 5);
  add("c", 40, -3);
  const TaskId d = add("d", 20, 5);
  const TaskId e = add("e", 50, 0);
  const TaskId f = add("f", 1, 0);
  const TaskId g = add("g", 1, 0);
  builder.add_edge(a, e);
  builder.add_edge(d, e);
  builder.add_edge(d, f);
  builder.add_edge(d, g);
  return std::move(builder).build();
}

/// The first four tasks as the order takes them, equal keys in order of arrival.
std::string taken(TaskOrder order, std::uint64_t seed = 1) {
  const TaskGraph graph = hand_graph();
  const std::vector<Duration> times = times_of(graph);
  const auto policy = make_task_order(order, {graph, times, seed});
  std::vector<std::size_t> ready{0, 1, 2, 3};
  std::ranges::stable_sort(ready, {}, [&policy](std::size_t i) { return policy->key(task_id(i), i); });
  std::string names;
  for (const std::size_t i : ready) names += graph.name(task_id(i));
  return names;
}

TEST(TaskOrder, FifoTakesTheFirstToBecomeReady) { EXPECT_EQ(taken(TaskOrder::kFifo), "abcd"); }
TEST(TaskOrder, LifoTakesTheLastToBecomeReady) { EXPECT_EQ(taken(TaskOrder::kLifo), "dcba"); }
TEST(TaskOrder, CriticalPathTakesTheHighestBottomLevel) { EXPECT_EQ(taken(TaskOrder::kCriticalPath), "adcb"); }  // 80, 70, 40, 10
TEST(TaskOrder, LongestTakesTheLongest) { EXPECT_EQ(taken(TaskOrder::kLongest), "cadb"); }
TEST(TaskOrder, ShortestTakesTheShortest) { EXPECT_EQ(taken(TaskOrder::kShortest), "bdac"); }
TEST(TaskOrder, MostSuccessorsTakesTheOneWithMost) { EXPECT_EQ(taken(TaskOrder::kMostSuccessors), "dabc"); }
TEST(TaskOrder, PriorityTakesTheHighestAndEqualsByArrival) { EXPECT_EQ(taken(TaskOrder::kPriority), "bdac"); }

TEST(TaskOrder, RandomDependsOnTheSeedAlone) {
  EXPECT_EQ(taken(TaskOrder::kRandom, 1), taken(TaskOrder::kRandom, 1));
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 500; ++seed) orders.insert(taken(TaskOrder::kRandom, seed));
  EXPECT_EQ(orders.size(), 24U) << "every permutation comes up";
}

TEST(RoundRobin, DealsTasksInTopologicalOrderToTheWorkersOfTheirType) {
  TaskGraphBuilder builder;
  for (const CoreType type : {CoreType::kAic, CoreType::kAiv, CoreType::kAic, CoreType::kAic, CoreType::kAiv}) {
    builder.add_task("t", {.core_type = type});
  }
  builder.add_edge(task_id(3), task_id(0));  // topological order 1, 2, 3, 0, 4
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> workers{CoreType::kAic, CoreType::kAiv, CoreType::kAic};
  const FrozenSchedule schedule = make_frozen_schedule(Placement::kRoundRobin, {graph, std::vector<Duration>(5), workers});
  EXPECT_THAT(schedule, ElementsAre(ElementsAre(task_id(2), task_id(0)), ElementsAre(task_id(1), task_id(4)), ElementsAre(task_id(3))));
}

/// Runs each worker's list in its order; false if they wait for each other.
bool runs_through(const TaskGraph& graph, const FrozenSchedule& schedule) {
  std::vector<std::size_t> next(schedule.size());
  std::vector<bool> done(graph.size());
  std::size_t left = graph.size();
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t w = 0; w < schedule.size(); ++w) {
      if (next[w] == schedule[w].size()) continue;
      const TaskId task = schedule[w][next[w]];
      if (!std::ranges::all_of(graph.predecessors(task), [&done](TaskId before) { return done[index(before)]; })) continue;
      done[index(task)] = moved = true;
      ++next[w];
      --left;
    }
  }
  return left == 0;
}

TEST(FrozenPlacements, PlaceEachTaskOnceOnItsTypeAndNeverDeadlock) {
  const std::vector<CoreType> workers{CoreType::kSm, CoreType::kAic, CoreType::kSm};
  for (const auto& [placement, word] : Words<Placement>::entries) {
    if (!is_static(placement)) continue;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      // Times of 0 to 2 ns and no communication: many equal start times.
      const TaskGraph graph = random_graph({.tasks = 20, .edge_probability = 0.15, .longest_ns = 2, .core_types = 2}, seed);
      const Duration hop{static_cast<std::int64_t>(seed % 3)};
      const FrozenSchedule schedule = make_frozen_schedule(placement, {graph, times_of(graph), workers, Duration{0}, hop});
      ASSERT_EQ(schedule.size(), workers.size());
      std::size_t placed = 0;
      for (std::size_t w = 0; w < workers.size(); ++w) {
        placed += schedule[w].size();
        for (const TaskId task : schedule[w]) ASSERT_EQ(graph[task].core_type, workers[w]);
      }
      ASSERT_EQ(placed, graph.size());
      ASSERT_TRUE(runs_through(graph, schedule)) << word << ", seed " << seed;
    }
  }
}

TEST(FrozenPlacements, RefuseATaskThatNoWorkerCanRun) {
  TaskGraphBuilder builder;
  builder.add_task("lonely", {.core_type = CoreType::kAiv});
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> workers{CoreType::kSm};
  for (const Placement placement : {Placement::kRoundRobin, Placement::kHeft}) {
    try {
      make_frozen_schedule(placement, {graph, std::vector<Duration>(1), workers});
      FAIL() << to_word(placement);
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "task 'lonely' needs a core type that no worker has");
    }
  }
}

TEST(FrozenSchedule, SeatsADesignOnItsWorkers) {
  Machine machine;
  machine.compute_cores = {{CoreType::kSm, 3}};
  const TaskGraph graph = random_graph({.tasks = 9, .edge_probability = 0}, 1);
  const FrozenSchedule schedule = frozen_schedule(graph, machine, named_design("static-queues"));
  ASSERT_EQ(schedule.size(), 3U);
  EXPECT_TRUE(runs_through(graph, schedule));
}

}  // namespace
}  // namespace tasktwin
