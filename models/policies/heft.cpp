#include "models/policies/built_in.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tasktwin {

namespace {

/// By falling upward rank, equal ones in topological order.
std::vector<TaskId> by_rank(const StaticInputs& inputs) {
  const std::vector<double> ranks = upward_ranks(inputs, mean_costs(inputs));
  struct Ranked {
    double rank;
    std::uint32_t position;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(inputs.graph.size());
  for (const TaskId task : inputs.graph.topological_order())
    ranked.push_back({ranks[index(task)], static_cast<std::uint32_t>(ranked.size())});
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) { return a.rank != b.rank ? a.rank > b.rank : a.position < b.position; });
  std::vector<TaskId> order;
  order.reserve(ranked.size());
  for (const Ranked& task : ranked) order.push_back(inputs.graph.topological_order()[task.position]);
  return order;
}

}  // namespace

StaticSchedule heft(const StaticInputs& inputs) {
  const std::vector<TaskId> order = by_rank(inputs);
  PartialSchedule schedule(inputs);
  for (const TaskId task : order) schedule.place(task, schedule.earliest_finish(task));
  return std::move(schedule).finish(order);
}

}  // namespace tasktwin
