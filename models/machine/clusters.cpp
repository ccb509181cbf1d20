#include "models/machine/clusters.hpp"

#include <algorithm>
#include <limits>

namespace tasktwin {

std::vector<std::vector<CoreId>> clusters(std::span<const CoreGroup> core_groups, std::span<const CoreType> cores) {
  struct Group {
    std::size_t first;
    std::size_t per_cluster;
  };
  std::vector<Group> groups;
  std::size_t whole = std::numeric_limits<std::size_t>::max();
  for (const CoreGroup& group : core_groups) {
    if (group.per_cluster <= 0) continue;
    const auto found = std::ranges::find(cores, group.type);  // cores of one type are neighbours
    const auto count = static_cast<std::size_t>(std::ranges::count(cores, group.type));
    groups.push_back({static_cast<std::size_t>(found - cores.begin()), static_cast<std::size_t>(group.per_cluster)});
    whole = std::min(whole, count / groups.back().per_cluster);
  }
  std::vector<std::vector<CoreId>> clusters(groups.empty() ? 0 : whole);
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    for (const Group& group : groups) {
      for (std::size_t i = 0; i < group.per_cluster; ++i) clusters[k].push_back(core_id(group.first + k * group.per_cluster + i));
    }
    std::ranges::sort(clusters[k]);
  }
  return clusters;
}

bool has_mix_tasks(const TaskGraph& graph) {
  return std::ranges::any_of(graph.tasks(), [](const Task& task) { return task.core_type == CoreType::kMix; });
}

}  // namespace tasktwin
