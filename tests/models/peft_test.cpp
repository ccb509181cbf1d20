#include "models/policies/built_in.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/cost_matrix.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::arabnejad_example;
using testing_graphs::CostMatrix;
using testing_graphs::random_graph;

TEST(Peft, HasTheOptimisticCostTableOfItsPaper) {
  const CostMatrix example = arabnejad_example();
  const std::vector<std::int64_t> published{64, 68, 86, 42, 39, 42, 27, 41, 43, 42, 39, 50, 28, 37, 28,
                                            42, 39, 44, 13, 16, 22, 13, 16, 33, 13, 16, 20, 0,  0,  0};
  const std::vector<std::int64_t> costs = optimistic_costs(example.inputs());
  EXPECT_EQ(costs, published);
  const std::array<double, 10> ranks{72.667, 41, 37, 43.667, 31, 41.667, 17, 20.667, 16.333, 0};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_NEAR(optimistic_ranks(example.inputs(), costs)[i], ranks[i], 0.0005) << "n" << i + 1;
}

TEST(Peft, HasTheMakespanOfItsPaper) {
  // The paper's makespan, 122. The slots were worked out apart from this code: taken in the order n1, n4, n6, n2, n3, n5, n8, n7, n9,
  // n10, each where finish and table entry together are least.
  const CostMatrix example = arabnejad_example();
  const StaticSchedule schedule = peft(example.inputs());
  EXPECT_EQ(schedule.makespan(), 122);
  EXPECT_THAT(schedule.slots, ElementsAre(Slot{0, 0, 22}, Slot{0, 29, 51}, Slot{0, 51, 83}, Slot{0, 22, 29}, Slot{2, 35, 70},
                                          Slot{1, 29, 46}, Slot{0, 83, 97}, Slot{1, 54, 77}, Slot{2, 81, 89}, Slot{1, 106, 122}));
}

/// Oracle: the definition, by recursion, over every worker of every successor.
std::int64_t slow_cost(const StaticInputs& inputs, TaskId task, std::size_t worker) {
  std::int64_t costliest = 0;
  for (const TaskId next : inputs.graph.successors(task)) {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      if (inputs.cost(next, w) < 0) continue;
      best = std::min(best, slow_cost(inputs, next, w) + inputs.cost(next, w) + inputs.communication(task, next, w == worker));
    }
    costliest = std::max(costliest, best);
  }
  return costliest;
}

TEST(Peft, OptimisticCostsAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 8, .edge_probability = 0.3}, seed);
    const StaticInputs inputs{graph, 1 + seed % 4,
                              [seed](TaskId task, std::size_t worker) {
                                return static_cast<std::int64_t>(mix(seed ^ (100 * index(task) + worker)) % 9) - (worker > 0 ? 1 : 0);
                              },
                              [](TaskId from, TaskId to, bool same_worker) {
                                return static_cast<std::int64_t>((index(from) + index(to)) % 7) * (same_worker ? 1 : 2);
                              }};
    const std::vector<std::int64_t> costs = optimistic_costs(inputs);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (std::size_t w = 0; w < inputs.workers; ++w) {
        ASSERT_EQ(costs[i * inputs.workers + w], slow_cost(inputs, task_id(i), w)) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin
