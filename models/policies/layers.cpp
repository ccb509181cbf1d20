#include "models/policies/layers.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace tasktwin {

std::vector<std::size_t> layers_of(const TaskGraph& graph) {
  std::vector<std::size_t> levels(graph.size());
  std::map<std::int32_t, std::size_t> stated;
  bool ascending = true;
  for (const TaskId task : graph.topological_order()) {
    stated.emplace(graph[task].layer, 0);
    for (const TaskId successor : graph.successors(task)) {
      levels[index(successor)] = std::max(levels[index(successor)], levels[index(task)] + 1);
      ascending &= graph[task].layer < graph[successor].layer;
    }
  }
  if (!ascending) return levels;
  std::size_t number = 0;
  for (auto& [layer, position] : stated) position = number++;
  for (std::size_t i = 0; i < graph.size(); ++i) levels[i] = stated[graph[task_id(i)].layer];
  return levels;
}

void sort_by_layer(FrozenSchedule& lists, std::span<const std::size_t> layers) {
  for (std::vector<TaskId>& list : lists) std::ranges::stable_sort(list, {}, [layers](TaskId task) { return layers[index(task)]; });
}

}  // namespace tasktwin
