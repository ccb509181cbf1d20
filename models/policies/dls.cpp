#include "models/policies/built_in.hpp"

#include <algorithm>
#include <ranges>

#include "models/policies/pair_selection.hpp"

namespace tasktwin {

std::vector<std::int64_t> median_costs(const StaticInputs& inputs) {
  std::vector<std::int64_t> medians(inputs.graph.size());
  std::vector<std::int64_t> costs(inputs.workers);
  for (std::size_t i = 0; i < medians.size(); ++i) {
    for (std::size_t w = 0; w < inputs.workers; ++w) costs[w] = inputs.cost(task_id(i), w);
    const std::int64_t dearest = std::ranges::max(costs);
    std::ranges::replace_if(
        costs, [](std::int64_t cost) { return cost < 0; }, dearest);
    const auto middle = costs.begin() + static_cast<std::ptrdiff_t>((costs.size() - 1) / 2);
    std::ranges::nth_element(costs, middle);
    medians[i] = *middle;
  }
  return medians;
}

std::vector<std::int64_t> static_levels(const TaskGraph& graph, const std::vector<std::int64_t>& costs) {
  std::vector<std::int64_t> levels(graph.size());
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    std::int64_t longest = 0;
    for (const TaskId successor : graph.successors(task)) longest = std::max(longest, levels[index(successor)]);
    levels[index(task)] = longest + costs[index(task)];
  }
  return levels;
}

StaticSchedule dls(const StaticInputs& inputs) {
  const std::vector<std::int64_t> medians = median_costs(inputs);
  const std::vector<std::int64_t> levels = static_levels(inputs.graph, medians);
  return select_pairs(
      inputs, [&](TaskId task, std::size_t worker) { return inputs.cost(task, worker) - medians[index(task)] - levels[index(task)]; });
}

}  // namespace tasktwin
