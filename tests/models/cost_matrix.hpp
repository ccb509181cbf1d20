#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/policies/policies.hpp"

namespace tasktwin::testing_graphs {

/// A graph as papers on static scheduling give it: what each task costs on each worker, what each edge costs between two
/// workers (nothing on one). Tasks are n1, n2, … .
class CostMatrix {
 public:
  using Edge = std::pair<std::size_t, std::size_t>;  ///< numbers of two tasks, from 1

  CostMatrix(std::vector<std::vector<std::int64_t>> costs, std::map<Edge, std::int64_t> edges)
      : costs_(std::move(costs)), edges_(std::move(edges)) {
    TaskGraphBuilder builder;
    for (std::size_t i = 1; i <= costs_.size(); ++i) builder.add_task("n" + std::to_string(i), {});
    for (const auto& [edge, cost] : edges_) builder.add_edge(task_id(edge.first - 1), task_id(edge.second - 1));
    graph_ = std::move(builder).build();
  }

  const TaskGraph& graph() const { return graph_; }

  /// Contract: this matrix outlives what is returned.
  StaticInputs inputs() const {
    return {graph_, costs_.front().size(), [this](TaskId task, std::size_t worker) { return costs_[index(task)][worker]; },
            [this](TaskId from, TaskId to, bool same_worker) {
              return same_worker ? 0 : edges_.at(Edge{index(from) + 1, index(to) + 1});
            }};
  }

 private:
  std::vector<std::vector<std::int64_t>> costs_;
  std::map<Edge, std::int64_t> edges_;
  TaskGraph graph_;
};

/// The worked example of Topcuoglu, Hariri and Wu 2002: its Figure 2 (graph) and Table 1 (costs on P1, P2, P3).
inline CostMatrix topcuoglu_example() {
  return CostMatrix({{14, 16, 9},
                     {13, 19, 18},
                     {11, 13, 19},
                     {13, 8, 17},
                     {12, 13, 10},
                     {13, 16, 9},
                     {7, 15, 11},
                     {5, 11, 14},
                     {18, 12, 20},
                     {21, 7, 16}},
                    {{{1, 2}, 18},
                     {{1, 3}, 12},
                     {{1, 4}, 9},
                     {{1, 5}, 11},
                     {{1, 6}, 14},
                     {{2, 8}, 19},
                     {{2, 9}, 16},
                     {{3, 7}, 23},
                     {{4, 8}, 27},
                     {{4, 9}, 23},
                     {{5, 9}, 13},
                     {{6, 8}, 15},
                     {{7, 10}, 17},
                     {{8, 10}, 11},
                     {{9, 10}, 13}});
}

/// The worked example of Arabnejad and Barbosa 2014: its Figure 1 (graph and costs on P1, P2, P3).
inline CostMatrix arabnejad_example() {
  return CostMatrix({{22, 21, 36},
                     {22, 18, 18},
                     {32, 27, 43},
                     {7, 10, 4},
                     {29, 27, 35},
                     {26, 17, 24},
                     {14, 25, 30},
                     {29, 23, 36},
                     {15, 21, 8},
                     {13, 16, 33}},
                    {{{1, 2}, 17},
                     {{1, 3}, 31},
                     {{1, 4}, 29},
                     {{1, 5}, 13},
                     {{1, 6}, 7},
                     {{2, 8}, 3},
                     {{2, 9}, 30},
                     {{3, 7}, 16},
                     {{4, 8}, 11},
                     {{4, 9}, 7},
                     {{5, 9}, 57},
                     {{6, 8}, 5},
                     {{7, 10}, 9},
                     {{8, 10}, 42},
                     {{9, 10}, 7}});
}

}  // namespace tasktwin::testing_graphs
