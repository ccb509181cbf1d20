#include "models/explain/waves.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tasktwin {

std::vector<int> waves(std::span<const Occupancy> parts) {
  std::vector<int> waves(parts.size(), 1);
  std::vector<std::size_t> order;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> on_core;
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    while (end < parts.size() && parts[end].task == parts[first].task) ++end;
    order.resize(end - first);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(order, {}, [&parts](std::size_t i) { return parts[i].started; });
    on_core.clear();
    for (const std::size_t i : order) {
      std::vector<std::size_t>& before = on_core[static_cast<std::uint32_t>(index(parts[i].core))];
      for (const std::size_t other : before) {
        if (parts[other].ended <= parts[i].started) waves[i] = std::max(waves[i], waves[other] + 1);
      }
      before.push_back(i);
    }
  }
  return waves;
}

}  // namespace tasktwin
