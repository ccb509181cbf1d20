#include "models/policies/built_in.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tasktwin {

namespace {

/// Places `tasks` one after the other where each finishes first, and takes them out again: the last finish, or one after
/// `limit` if there is any.
std::int64_t last_finish(PartialSchedule& schedule, const std::vector<TaskId>& tasks, std::int64_t limit) {
  std::int64_t last = 0;
  std::vector<BusyIntervals> before;
  for (const TaskId task : tasks) {
    if (last > limit) break;
    const Slot slot = schedule.earliest_finish(task);
    before.push_back(schedule.busy(slot.worker));
    schedule.place(task, slot);
    last = std::max(last, slot.finish);
  }
  for (std::size_t i = before.size(); i-- > 0;) schedule.unplace(tasks[i], std::move(before[i]));
  return last;
}

/// What a successor of the task that is placed has to wait for wherever both are.
struct Wait {
  std::int64_t data = 0;    ///< from the task's end until its data can be there
  std::int64_t others = 0;  ///< until when those of other predecessors, as far as they are placed, cannot be
  std::int64_t cost = 0;    ///< its own
};

/// By TaskId, on the workers that are quickest at it.
std::vector<std::int64_t> least_costs(const StaticInputs& inputs) {
  const WorkerClasses classes = worker_classes(inputs);
  std::vector<std::int64_t> costs(inputs.graph.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    std::optional<std::int64_t> least;
    for (const std::size_t worker : classes.first_worker) {
      if (const std::int64_t cost = inputs.cost(task_id(i), worker); cost >= 0) least = std::min(least.value_or(cost), cost);
    }
    costs[i] = least.value_or(0);
  }
  return costs;
}

std::vector<Wait> waits_of(const StaticInputs& inputs, const PartialSchedule& schedule, TaskId task,
                           const std::vector<std::int64_t>& costs) {
  const auto at_least = [&inputs](TaskId from, TaskId to) {
    return std::min(inputs.communication(from, to, true), inputs.communication(from, to, false));
  };
  std::vector<Wait> waits;
  for (const TaskId successor : inputs.graph.successors(task)) {
    waits.push_back({at_least(task, successor), 0, costs[index(successor)]});
    for (const TaskId before : inputs.graph.predecessors(successor)) {
      if (schedule.is_placed(before))
        waits.back().others = std::max(waits.back().others, schedule.slot(before).finish + at_least(before, successor));
    }
  }
  return waits;
}

/// No last finish of successors can be below this.
std::int64_t least_last_finish(const std::vector<Wait>& waits, std::int64_t finish) {
  std::int64_t last = 0;
  for (const Wait& wait : waits) last = std::max(last, std::max(finish + wait.data, wait.others) + wait.cost);
  return last;
}

}  // namespace

StaticSchedule lookahead(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const std::vector<double> ranks = upward_ranks(inputs, mean_costs(inputs));
  std::vector<TaskId> order = graph.topological_order();
  std::ranges::stable_sort(order, std::greater{}, [&ranks](TaskId task) { return ranks[index(task)]; });
  std::vector<std::size_t> position(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[index(order[i])] = i;

  PartialSchedule schedule(inputs);
  const std::vector<std::int64_t> costs = least_costs(inputs);
  for (const TaskId task : order) {
    const std::vector<Wait> waits = waits_of(inputs, schedule, task, costs);
    std::vector<TaskId> successors(graph.successors(task).begin(), graph.successors(task).end());
    std::ranges::sort(successors, {}, [&position](TaskId successor) { return position[index(successor)]; });
    std::vector<Slot> slots;
    schedule.for_each_slot(task, [&slots](const Slot& slot) { slots.push_back(slot); });
    std::pair least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};  // of the successors, own
    Slot best;
    for (const Slot& slot : slots) {
      if (std::pair{least_last_finish(waits, slot.finish), slot.finish} >= least) continue;
      BusyIntervals before = schedule.busy(slot.worker);
      schedule.place(task, slot);
      const std::pair finishes{last_finish(schedule, successors, least.first), slot.finish};
      schedule.unplace(task, std::move(before));
      if (finishes >= least) continue;
      least = finishes;
      best = slot;
    }
    schedule.place(task, best);
  }
  return std::move(schedule).finish(order);
}

}  // namespace tasktwin
