#include "models/policies/built_in.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/cost_matrix.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::arabnejad_example;
using testing_graphs::CostMatrix;
using testing_graphs::graph_of;
using testing_graphs::random_graph;
using testing_graphs::topcuoglu_example;

TEST(Heft, HasTheUpwardRanksOfItsPapersTable3) {
  const CostMatrix example = topcuoglu_example();
  const std::vector<double> ranks = upward_ranks(example.inputs(), mean_costs(example.inputs()));
  const std::array<double, 10> published{108.000, 77.000, 80.000, 80.000, 69.000, 63.333, 42.667, 35.667, 44.333, 14.667};
  for (std::size_t i = 0; i < published.size(); ++i) EXPECT_NEAR(ranks[i], published[i], 0.0005) << "n" << i + 1;
}

TEST(Heft, HasTheScheduleOfItsPapersFigure3) {
  const CostMatrix example = topcuoglu_example();
  const StaticSchedule schedule = heft(example.inputs());
  const auto n = [](std::size_t number) { return task_id(number - 1); };
  EXPECT_THAT(schedule.lists,
              ElementsAre(ElementsAre(n(2), n(8)), ElementsAre(n(4), n(6), n(9), n(10)), ElementsAre(n(1), n(3), n(5), n(7))));
  const std::array<std::pair<int, int>, 10> published{
      {{0, 9}, {27, 40}, {9, 28}, {18, 26}, {28, 38}, {26, 42}, {38, 49}, {57, 62}, {56, 68}, {73, 80}}};
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_EQ(schedule.slots[i].start, published[i].first) << "n" << i + 1;
    EXPECT_EQ(schedule.slots[i].finish, published[i].second) << "n" << i + 1;
  }
  EXPECT_EQ(schedule.makespan(), 80);
}

TEST(Heft, HasTheMakespanThatThePaperOnPeftGivesForIt) {
  const CostMatrix example = arabnejad_example();
  EXPECT_EQ(heft(example.inputs()).makespan(), 133);
}

TEST(Heft, FillsAGapThatIsLongEnoughAndNoShorterOne) {
  // Worker 1 runs t0 until 10; on worker 0, t1 runs until 4 and t2 waits for t0: a gap of 6 ns, met by t3.
  for (const std::int64_t length : {6, 7}) {
    const TaskGraph graph = graph_of({10, 4, 20, length}, {{0, 2}, {1, 2}});
    const auto cost = [&graph](TaskId task, std::size_t worker) {
      const bool on_one = index(task) == 0;
      return on_one == (worker == 1) ? graph[task].cost.time.count() : -1;
    };
    const StaticSchedule result = heft({graph, 2, cost, [](TaskId, TaskId, bool) { return std::int64_t{0}; }});
    ASSERT_EQ(result.slots[2].start, 10);
    EXPECT_EQ(result.slots[3].start, length == 6 ? 4 : 30) << length;
    EXPECT_THAT(result.lists[0],
                length == 6 ? ElementsAre(task_id(1), task_id(3), task_id(2)) : ElementsAre(task_id(1), task_id(2), task_id(3)));
  }
}

/// Oracle: ranks by recursion over all paths, and for each task every start time tried on every worker, tick by tick.
std::vector<Slot> slow_heft(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const std::function<double(TaskId)> rank = [&](TaskId task) {
    double cost = 0;
    for (std::size_t w = 0; w < inputs.workers; ++w) cost += static_cast<double>(inputs.cost(task, w));
    double longest = 0;
    for (const TaskId next : graph.successors(task)) {
      longest = std::max(longest, static_cast<double>(inputs.communication(task, next, false)) + rank(next));
    }
    return cost / static_cast<double>(inputs.workers) + longest;
  };
  std::vector<TaskId> order = graph.topological_order();
  std::ranges::stable_sort(order, [&](TaskId a, TaskId b) { return rank(a) > rank(b); });

  std::vector<Slot> placements(graph.size());
  std::vector<std::vector<bool>> busy(inputs.workers, std::vector<bool>(1000));
  for (const TaskId task : order) {
    Slot best{.worker = 0, .start = 0, .finish = 1'000'000};
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      const std::int64_t cost = inputs.cost(task, w);
      const auto fits = [&](std::int64_t start) {
        for (std::int64_t t = start; t < start + cost; ++t) {
          if (busy[w][static_cast<std::size_t>(t)]) return false;
        }
        return true;
      };
      std::int64_t start = 0;
      for (const TaskId before : graph.predecessors(task)) {
        const Slot& from = placements[index(before)];
        start = std::max(start, from.finish + inputs.communication(before, task, from.worker == w));
      }
      while (!fits(start)) ++start;
      if (start + cost < best.finish) best = {w, start, start + cost};
    }
    for (std::int64_t t = best.start; t < best.finish; ++t) busy[best.worker][static_cast<std::size_t>(t)] = true;
    placements[index(task)] = best;
  }
  return placements;
}

TEST(Heft, PlacesAsTryingEveryStartTimeDoes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 12, .edge_probability = 0.2}, seed);
    const StaticInputs inputs{graph, 1 + seed % 4,
                              [seed](TaskId task, std::size_t worker) {
                                return std::int64_t{1} + static_cast<std::int64_t>(mix(seed ^ (100 * index(task) + worker)) % 9);
                              },
                              [](TaskId from, TaskId to, bool same_worker) {
                                return same_worker ? 0 : static_cast<std::int64_t>((index(from) + index(to)) % 7);
                              }};
    ASSERT_EQ(heft(inputs).slots, slow_heft(inputs)) << "seed " << seed;
  }
}

TEST(Heft, PlacesOnWorkersThatAreAlikeAsTryingEveryStartTimeDoes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 24, .edge_probability = 0.15}, seed);
    const std::vector<int> kinds = seed % 2 == 0 ? std::vector{7, 7, 7, 7, 7} : std::vector{1, 0, 1, 1, 0, 1};
    const StaticInputs inputs{graph,
                              kinds.size(),
                              [&](TaskId task, std::size_t worker) {
                                return std::int64_t{1} + static_cast<std::int64_t>(mix(seed ^ (100 * index(task) + kinds[worker])) % 9);
                              },
                              [](TaskId from, TaskId to, bool same_worker) {
                                return same_worker ? 1 : 1 + static_cast<std::int64_t>((index(from) + index(to)) % 7);
                              },
                              nullptr,
                              kinds};
    ASSERT_EQ(heft(inputs).slots, slow_heft(inputs)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tasktwin
