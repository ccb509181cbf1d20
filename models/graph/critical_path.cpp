#include "models/graph/critical_path.hpp"

#include <algorithm>
#include <ranges>

namespace tasktwin {

std::vector<Duration> bottom_levels(const TaskGraph& graph, std::span<const Duration> durations) {
  std::vector<Duration> levels(graph.size());
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    Duration longest{0};
    for (const TaskId successor : graph.successors(task)) longest = std::max(longest, levels[index(successor)]);
    levels[index(task)] = longest + durations[index(task)];
  }
  return levels;
}

std::vector<TaskId> critical_path(const TaskGraph& graph, std::span<const Duration> durations) {
  const std::vector<Duration> levels = bottom_levels(graph, durations);
  const auto level = [&levels](TaskId task) { return levels[index(task)]; };
  std::vector<TaskId> path;
  if (graph.size() == 0) return path;
  path.push_back(std::ranges::max(graph.topological_order(), {}, level));
  while (graph.out_degree(path.back()) > 0) path.push_back(std::ranges::max(graph.successors(path.back()), {}, level));
  return path;
}

}  // namespace tasktwin
