#include "models/policies/built_in.hpp"

#include <algorithm>

namespace tasktwin {

namespace {

std::vector<TaskId> critical_tasks(const TaskGraph& graph, const std::vector<double>& priorities) {
  const auto priority = [&priorities](TaskId task) { return priorities[index(task)]; };
  std::vector<TaskId> path;
  for (const TaskId task : graph.topological_order()) {
    if (graph.in_degree(task) == 0 && (path.empty() || priority(task) > priority(path.front()))) path = {task};
  }
  while (!path.empty() && graph.out_degree(path.back()) > 0) {
    path.push_back(std::ranges::max(graph.successors(path.back()), {}, priority));
  }
  return path;
}

/// The worker that can run most of `tasks`; of those the one on which they cost least; of those the lowest.
std::size_t best_worker(const StaticInputs& inputs, const std::vector<TaskId>& tasks) {
  std::size_t best = 0;
  std::pair<std::int64_t, std::int64_t> least{0, 0};  // minus the tasks it can run, their cost
  for (std::size_t worker = 0; worker < inputs.workers; ++worker) {
    std::pair<std::int64_t, std::int64_t> here{0, 0};
    for (const TaskId task : tasks) {
      const std::int64_t cost = inputs.cost(task, worker);
      if (cost < 0) continue;
      --here.first;
      here.second += cost;
    }
    if (worker > 0 && here >= least) continue;
    least = here;
    best = worker;
  }
  return best;
}

}  // namespace

StaticSchedule cpop(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const std::vector<double> costs = mean_costs(inputs);
  std::vector<double> priorities = upward_ranks(inputs, costs);
  const std::vector<double> downward = downward_ranks(inputs, costs);
  for (std::size_t i = 0; i < priorities.size(); ++i) priorities[i] += downward[i];

  const std::vector<TaskId> critical = critical_tasks(graph, priorities);
  const std::size_t critical_worker = best_worker(inputs, critical);
  std::vector<bool> is_critical(graph.size());
  for (const TaskId task : critical) is_critical[index(task)] = inputs.cost(task, critical_worker) >= 0;

  PartialSchedule schedule(inputs);
  std::vector<TaskId> order;
  for (ReadyTasks ready(graph, priorities); !ready.empty();) {
    const TaskId task = ready.take();
    order.push_back(task);
    if (is_critical[index(task)]) {
      schedule.place(task, schedule.earliest(schedule.arrival(task), critical_worker, inputs.cost(task, critical_worker)));
    } else {
      schedule.place(task, schedule.earliest_finish(task));
    }
  }
  return std::move(schedule).finish(order);
}

}  // namespace tasktwin
