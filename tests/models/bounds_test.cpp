#include "models/bounds.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_graphs::graph_of;
using testing_graphs::random_graph;
using testing_graphs::times_of;

/// Oracle: every path from `task`, one after the other.
Duration longest_of_all_paths(const TaskGraph& graph, const std::vector<Duration>& times, TaskId task) {
  Duration longest{0};
  for (const TaskId next : graph.successors(task)) longest = std::max(longest, longest_of_all_paths(graph, times, next));
  return longest + times[index(task)];
}

TEST(BottomLevels, AreTheLongestOfAllPaths) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 10}, seed);
    const std::vector<Duration> times = times_of(graph);
    const std::vector<Duration> levels = bottom_levels(graph, times);
    for (std::size_t i = 0; i < graph.size(); ++i) ASSERT_EQ(levels[i], longest_of_all_paths(graph, times, task_id(i)));
  }
}

TEST(CriticalPath, IsAPathAndNoneIsLonger) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 10}, seed);
    const std::vector<Duration> times = times_of(graph);
    const std::vector<TaskId> path = critical_path(graph, times);
    Duration length = times[index(path.front())];
    for (std::size_t i = 1; i < path.size(); ++i) {
      ASSERT_TRUE(std::ranges::count(graph.successors(path[i - 1]), path[i]) == 1);
      length += times[index(path[i])];
    }
    Duration longest{0};
    for (std::size_t i = 0; i < graph.size(); ++i) longest = std::max(longest, longest_of_all_paths(graph, times, task_id(i)));
    ASSERT_EQ(length, longest);
  }
}

TEST(CriticalPath, OfADiamondTakesTheLongerSide) {
  const TaskGraph graph = graph_of({2, 5, 6, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  EXPECT_THAT(critical_path(graph, times_of(graph)), ElementsAre(task_id(0), task_id(2), task_id(3)));
}

TEST(CriticalPath, OfNothingIsEmpty) { EXPECT_THAT(critical_path(TaskGraph{}, {}), IsEmpty()); }

/// Oracle: every list schedule, one for each permutation; one of them is optimal (no cost but the bodies').
Duration optimal_makespan(const TaskGraph& graph, const std::vector<CoreType>& cores) {
  std::vector<std::size_t> list(graph.size());
  std::iota(list.begin(), list.end(), std::size_t{0});
  Duration best = Duration::max();
  do {
    std::vector<Duration> free(cores.size());
    std::vector<Duration> end(graph.size(), Duration{-1});
    bool in_order = true;
    for (const std::size_t i : list) {
      Duration ready{0};
      for (const TaskId before : graph.predecessors(task_id(i))) {
        in_order &= end[index(before)] >= Duration{0};
        ready = std::max(ready, end[index(before)]);
      }
      if (!in_order) break;
      std::size_t earliest = cores.size();
      for (std::size_t c = 0; c < cores.size(); ++c) {
        if (cores[c] == graph[task_id(i)].core_type && (earliest == cores.size() || free[c] < free[earliest])) earliest = c;
      }
      end[i] = std::max(ready, free[earliest]) + graph[task_id(i)].cost.time;
      free[earliest] = end[i];
    }
    if (in_order) best = std::min(best, *std::ranges::max_element(end));
  } while (std::ranges::next_permutation(list).found);
  return best;
}

TEST(LowerBounds, NoScheduleBeatsThemAndSomeReachThem) {
  const std::vector<CoreType> cores{CoreType::kSm, CoreType::kSm, CoreType::kAic};
  int reached = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 6, .core_types = 2}, seed);
    const Duration bound = lower_bounds(graph, Machine{}, cores, times_of(graph)).highest();
    const Duration optimum = optimal_makespan(graph, cores);
    ASSERT_LE(bound, optimum) << "seed " << seed;
    reached += bound == optimum ? 1 : 0;
  }
  EXPECT_GT(reached, 30);
}

TEST(LowerBounds, AreaIsTheBusiestTypesWorkOverItsCoresRoundedUp) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 5; ++i) builder.add_task("s", {.cost = {.time = Duration{10}}, .core_type = CoreType::kSm});
  builder.add_task("a", {.cost = {.time = Duration{16}}, .core_type = CoreType::kAic});
  const TaskGraph graph = std::move(builder).build();
  const std::vector<CoreType> cores{CoreType::kSm, CoreType::kAic, CoreType::kSm, CoreType::kSm};
  const Bounds bounds = lower_bounds(graph, Machine{}, cores, times_of(graph));
  EXPECT_EQ(bounds.area, Duration{17});
  EXPECT_EQ(bounds.critical_path, Duration{16});
  EXPECT_EQ(bounds.highest(), Duration{17});
}

TEST(LowerBounds, MemoryIsAllBytesAtTheFullBandwidth) {
  TaskGraphBuilder builder;
  builder.add_task("a", {.cost = {.bytes = {600}}});
  builder.add_task("b", {.cost = {.bytes = {401}}});
  const TaskGraph graph = std::move(builder).build();
  Machine machine;
  machine.constants.memory_bandwidth = 10;
  const Bounds bounds = lower_bounds(graph, machine, std::vector{CoreType::kSm}, std::vector<Duration>(2));
  EXPECT_EQ(bounds.memory, Duration{100});
  EXPECT_EQ(bounds.highest(), Duration{100});
}

}  // namespace
}  // namespace tasktwin
