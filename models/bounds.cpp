#include "models/bounds.hpp"

#include <algorithm>
#include <array>
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

Duration Bounds::highest() const { return std::max({critical_path, area, memory}); }

Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, std::span<const Duration> durations) {
  Bounds bounds;
  for (const Duration level : bottom_levels(graph, durations)) bounds.critical_path = std::max(bounds.critical_path, level);

  std::array<Duration, kCoreTypeCount> work{};
  Bytes bytes;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    work[static_cast<std::size_t>(graph[task_id(i)].core_type)] += durations[i];
    bytes += graph[task_id(i)].cost.bytes;
  }
  for (const auto& [type, word] : Words<CoreType>::entries) {
    const auto count = std::ranges::count(cores, type);
    if (count > 0) bounds.area = std::max(bounds.area, (work[static_cast<std::size_t>(type)] + Duration{count - 1}) / count);
  }
  if (machine.constants.memory_bandwidth > 0) {
    bounds.memory = Duration{static_cast<std::int64_t>(static_cast<double>(bytes.count) / machine.constants.memory_bandwidth)};
  }
  return bounds;
}

}  // namespace tasktwin
