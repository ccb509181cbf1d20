// A policy for the command line: of the ready tasks the one goes first that has the longest way to the end of the graph, and among those
// the one that more tasks wait for.
//
//   tasktwin simulate cholesky --designs shared-queue --policy ./liburgent_first.so
#include <algorithm>
#include <ranges>
#include <vector>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_rank_tasks(const PolicyInputs& inputs, std::vector<double>& ranks) {
  const TaskGraph& graph = inputs.graph;
  std::vector<double> way(graph.size());  // in nanoseconds
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    for (const TaskId next : graph.successors(task)) way[index(task)] = std::max(way[index(task)], way[index(next)]);
    way[index(task)] += static_cast<double>(inputs.durations[index(task)].count());
  }
  constexpr double kFewer = 1e-6;  // of a nanosecond: decides only between equal ways
  ranks.resize(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) ranks[i] = -way[i] - kFewer * static_cast<double>(graph.out_degree(task_id(i)));
}
