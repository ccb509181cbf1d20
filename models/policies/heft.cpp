#include "models/policies/heft.hpp"

#include <algorithm>

namespace tasktwin {

StaticSchedule heft(const StaticInputs& inputs) {
  const std::vector<double> ranks = upward_ranks(inputs, mean_costs(inputs));
  std::vector<TaskId> order = inputs.graph.topological_order();
  std::ranges::stable_sort(order, std::greater{}, [&ranks](TaskId task) { return ranks[index(task)]; });

  PartialSchedule schedule(inputs);
  for (const TaskId task : order) schedule.place(task, schedule.earliest_finish(task));
  return std::move(schedule).finish(order);
}

}  // namespace tasktwin
