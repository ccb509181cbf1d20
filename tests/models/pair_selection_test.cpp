#include "models/policies/pair_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/policies/built_in.hpp"
#include "tests/models/cost_matrix.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing_graphs::CostMatrix;
using testing_graphs::random_graph;
using testing_graphs::topcuoglu_example;

/// n3 waits for n1 and n2; n4 for nobody.
CostMatrix hand_example() { return CostMatrix({{3, 5}, {4, 2}, {2, 6}, {1, 3}}, {{{1, 3}, 3}, {{2, 3}, 1}}); }

TEST(Dls, TakesTheHighestDynamicLevelEachTime) {
  // Medians (the lower of two) 3, 2, 2, 1; static levels 5, 4, 2, 1. Dynamic levels on worker 0 / 1:
  //   n1 5 / 5 − 2 = 3, n2 4 − 2 = 2 / 4, n4 1 / 1 − 2 = −1        → n1 to worker 0 until 3
  //   n2 4 − 3 − 2 = −1 / 4, n4 1 − 3 = −2 / −1                     → n2 to worker 1 until 2
  //   n3 2 − max(3, 3) = −1 / 2 − 6 − 4 = −8, n4 −2 / 1 − 2 − 2 = −3  → n3 to worker 0 until 5
  //   n4 1 − 5 = −4 / −3                                            → n4 to worker 1 until 5
  const CostMatrix example = hand_example();
  EXPECT_THAT(median_costs(example.inputs()), ElementsAre(3, 2, 2, 1));
  EXPECT_THAT(static_levels(example.graph(), median_costs(example.inputs())), ElementsAre(5, 4, 2, 1));
  EXPECT_THAT(dls(example.inputs()).slots, ElementsAre(Slot{0, 0, 3}, Slot{1, 0, 2}, Slot{0, 3, 5}, Slot{1, 2, 5}));
}

TEST(Dls, CountsAWorkerThatCannotRunATaskAsTheDearest) {
  const CostMatrix example({{1, -1, -1}, {-1, 4, 6}}, {});
  EXPECT_THAT(median_costs(example.inputs()), ElementsAre(1, 6));
}

TEST(Dls, HasTheMakespanThatThePaperOnHeftGivesForIt) {
  const CostMatrix example = topcuoglu_example();
  EXPECT_EQ(dls(example.inputs()).makespan(), 91);
}

TEST(MinMin, TakesWhatFinishesFirstEachTime) {
  // Finish on worker 0 / 1:  n1 3 / 5, n2 4 / 2, n4 1 / 3  → n4 to worker 0;  n1 4 / 5, n2 5 / 2 → n2 to worker 1;
  // n1 4 / 7 → worker 0;  n3 max(4, 3) + 2 = 6 / 7 + 6 = 13 → worker 0.
  const CostMatrix example = hand_example();
  EXPECT_THAT(min_min(example.inputs()).slots, ElementsAre(Slot{0, 1, 4}, Slot{1, 0, 2}, Slot{0, 4, 6}, Slot{0, 0, 1}));
}

/// Oracle: every ready task on every worker, anew for each choice.
std::vector<Slot> slow_pairs(const StaticInputs& inputs, const std::function<std::int64_t(TaskId, std::size_t)>& offset) {
  const TaskGraph& graph = inputs.graph;
  const std::vector<std::size_t> positions = topological_positions(graph);
  std::vector<Slot> slots(graph.size());
  std::vector<bool> done(graph.size());
  std::vector<std::int64_t> free(inputs.workers);
  for (std::size_t step = 0; step < graph.size(); ++step) {
    std::optional<std::tuple<std::int64_t, std::size_t, std::int64_t, std::size_t>> least;  // value, position, free, worker
    Slot best;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto before = graph.predecessors(task_id(i));
      if (done[i] || !std::ranges::all_of(before, [&done](TaskId task) { return done[index(task)]; })) continue;
      for (std::size_t w = 0; w < inputs.workers; ++w) {
        const std::int64_t cost = inputs.cost(task_id(i), w);
        if (cost < 0) continue;
        std::int64_t start = free[w];
        for (const TaskId task : before) {
          const Slot& from = slots[index(task)];
          start = std::max(start, from.finish + inputs.communication(task, task_id(i), from.worker == w));
        }
        const std::tuple pair{start + offset(task_id(i), w), positions[i], free[w], w};
        if (least && pair >= *least) continue;
        least = pair;
        best = {w, start, start + cost};
      }
    }
    const TaskId task = graph.topological_order()[std::get<1>(*least)];
    slots[index(task)] = best;
    free[best.worker] = best.finish;
    done[index(task)] = true;
  }
  return slots;
}

TEST(PairSelection, ChoosesAsLookingAtEveryPairDoes) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 14, .edge_probability = 0.15}, seed);
    // Two kinds of workers, or every worker its own; times of 0 to 5 ns, so that much is equal.
    const std::size_t kinds = seed % 2 == 0 ? 2 : 5;
    const StaticInputs inputs{graph, 1 + seed % 5,
                              [seed, kinds](TaskId task, std::size_t worker) {
                                const std::int64_t drawn =
                                    static_cast<std::int64_t>(mix(seed ^ (100 * index(task) + worker % kinds)) % 7) - 1;
                                return worker == 0 ? std::max<std::int64_t>(0, drawn) : drawn;
                              },
                              [seed](TaskId from, TaskId to, bool same_worker) {
                                return same_worker ? 0 : static_cast<std::int64_t>(mix(seed ^ (index(from) * 31 + index(to))) % 6);
                              }};
    ASSERT_EQ(min_min(inputs).slots, slow_pairs(inputs, inputs.cost)) << "seed " << seed;
    const std::vector<std::int64_t> medians = median_costs(inputs);
    const std::vector<std::int64_t> levels = static_levels(graph, medians);
    const auto offset = [&](TaskId task, std::size_t worker) {
      return inputs.cost(task, worker) - medians[index(task)] - levels[index(task)];
    };
    ASSERT_EQ(dls(inputs).slots, slow_pairs(inputs, offset)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tasktwin
