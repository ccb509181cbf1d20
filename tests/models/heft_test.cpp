#include "models/policies/heft.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::graph_of;
using testing_graphs::random_graph;

/// The worked example of Topcuoglu, Hariri and Wu 2002: Figure 2 (graph), Table 1 (costs on P1, P2, P3).
class PaperExample : public testing::Test {
 protected:
  using Edge = std::pair<std::size_t, std::size_t>;

  PaperExample() {
    TaskGraphBuilder builder;
    for (std::size_t i = 1; i <= costs_.size(); ++i) builder.add_task("n" + std::to_string(i), {});
    for (const auto& [edge, cost] : communication_) builder.add_edge(task_id(edge.first - 1), task_id(edge.second - 1));
    graph_ = std::move(builder).build();
    result_ = heft({graph_, 3, [this](TaskId task, std::size_t worker) { return costs_[index(task)][worker]; },
                    [this](TaskId from, TaskId to, bool same_worker) {
                      return same_worker ? 0 : communication_.at(Edge{index(from) + 1, index(to) + 1});
                    }});
  }

  const std::array<std::array<std::int64_t, 3>, 10> costs_{{{14, 16, 9},
                                                            {13, 19, 18},
                                                            {11, 13, 19},
                                                            {13, 8, 17},
                                                            {12, 13, 10},
                                                            {13, 16, 9},
                                                            {7, 15, 11},
                                                            {5, 11, 14},
                                                            {18, 12, 20},
                                                            {21, 7, 16}}};
  const std::map<Edge, std::int64_t> communication_{{{1, 2}, 18}, {{1, 3}, 12}, {{1, 4}, 9},   {{1, 5}, 11},  {{1, 6}, 14},
                                                    {{2, 8}, 19}, {{2, 9}, 16}, {{3, 7}, 23},  {{4, 8}, 27},  {{4, 9}, 23},
                                                    {{5, 9}, 13}, {{6, 8}, 15}, {{7, 10}, 17}, {{8, 10}, 11}, {{9, 10}, 13}};
  TaskGraph graph_;
  HeftResult result_;
};

TEST_F(PaperExample, HasTheUpwardRanksOfItsTable3) {
  const std::array<double, 10> published{108.000, 77.000, 80.000, 80.000, 69.000, 63.333, 42.667, 35.667, 44.333, 14.667};
  for (std::size_t i = 0; i < published.size(); ++i) EXPECT_NEAR(result_.upward_ranks[i], published[i], 0.0005) << "n" << i + 1;
}

TEST_F(PaperExample, HasTheScheduleOfItsFigure3) {
  const auto n = [](std::size_t number) { return task_id(number - 1); };
  EXPECT_THAT(result_.schedule,
              ElementsAre(ElementsAre(n(2), n(8)), ElementsAre(n(4), n(6), n(9), n(10)), ElementsAre(n(1), n(3), n(5), n(7))));
  const std::array<std::pair<int, int>, 10> published{
      {{0, 9}, {27, 40}, {9, 28}, {18, 26}, {28, 38}, {26, 42}, {38, 49}, {57, 62}, {56, 68}, {73, 80}}};
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_EQ(result_.placements[i].start, published[i].first) << "n" << i + 1;
    EXPECT_EQ(result_.placements[i].finish, published[i].second) << "n" << i + 1;
  }
}

HeftResult heft_on_two(const TaskGraph& graph, std::int64_t hop) {
  return heft({graph, 2, [&graph](TaskId task, std::size_t) { return graph[task].cost.time.count(); },
               [hop](TaskId, TaskId, bool same_worker) { return same_worker ? 0 : hop; }});
}

TEST(Heft, FillsAGapThatIsLongEnoughAndNoShorterOne) {
  // Worker 1 runs t0 until 10; on worker 0, t1 runs until 4 and t2 waits for t0: a gap of 6 ns, met by t3.
  for (const std::int64_t length : {6, 7}) {
    HeftInputs inputs{graph_of({10, 4, 20, length}, {{0, 2}, {1, 2}}), 2, {}, {}};
    const TaskGraph& graph = inputs.graph;
    inputs.cost = [&graph](TaskId task, std::size_t worker) {
      const bool on_one = index(task) == 0;
      return on_one == (worker == 1) ? graph[task].cost.time.count() : -1;
    };
    inputs.communication = [](TaskId, TaskId, bool) { return std::int64_t{0}; };
    const HeftResult result = heft(inputs);
    ASSERT_EQ(result.placements[2].start, 10);
    EXPECT_EQ(result.placements[3].start, length == 6 ? 4 : 30) << length;
    EXPECT_THAT(result.schedule[0],
                length == 6 ? ElementsAre(task_id(1), task_id(3), task_id(2)) : ElementsAre(task_id(1), task_id(2), task_id(3)));
  }
}

/// Oracle: ranks by recursion over all paths, and for each task every start time tried on every worker, tick by tick.
std::vector<HeftPlacement> slow_heft(const HeftInputs& inputs) {
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

  std::vector<HeftPlacement> placements(graph.size());
  std::vector<std::vector<bool>> busy(inputs.workers, std::vector<bool>(1000));
  for (const TaskId task : order) {
    HeftPlacement best{.worker = 0, .start = 0, .finish = 1'000'000};
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
        const HeftPlacement& from = placements[index(before)];
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
    const HeftInputs inputs{graph, 1 + seed % 4,
                            [seed](TaskId task, std::size_t worker) {
                              return std::int64_t{1} + static_cast<std::int64_t>(mix(seed ^ (100 * index(task) + worker)) % 9);
                            },
                            [](TaskId from, TaskId to, bool same_worker) {
                              return same_worker ? 0 : static_cast<std::int64_t>((index(from) + index(to)) % 7);
                            }};
    const HeftResult fast = heft(inputs);
    const std::vector<HeftPlacement> slow = slow_heft(inputs);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      ASSERT_EQ(fast.placements[i].worker, slow[i].worker) << "seed " << seed << ", task " << i;
      ASSERT_EQ(fast.placements[i].start, slow[i].start) << "seed " << seed << ", task " << i;
      ASSERT_EQ(fast.placements[i].finish, slow[i].finish) << "seed " << seed << ", task " << i;
    }
  }
}

TEST(Heft, NeverOverlapsTasksOnAWorkerAndKeepsEveryCommunication) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 16, .edge_probability = 0.2}, seed);
    const auto hop = static_cast<std::int64_t>(seed % 4);
    const HeftResult result = heft_on_two(graph, hop);
    for (const auto& list : result.schedule) {
      std::int64_t free = 0;
      for (const TaskId task : list) {
        const HeftPlacement& placement = result.placements[index(task)];
        if (placement.start == placement.finish) continue;  // a task of no length takes no room
        ASSERT_GE(placement.start, free) << "seed " << seed;
        free = placement.finish;
      }
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (const TaskId before : graph.predecessors(task_id(i))) {
        const HeftPlacement& from = result.placements[index(before)];
        const HeftPlacement& to = result.placements[i];
        ASSERT_GE(to.start, from.finish + (from.worker == to.worker ? 0 : hop)) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin
