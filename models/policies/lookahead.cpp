#include "models/policies/built_in.hpp"

#include <algorithm>
#include <limits>

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

}  // namespace

StaticSchedule lookahead(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const std::vector<double> ranks = upward_ranks(inputs, mean_costs(inputs));
  std::vector<TaskId> order = graph.topological_order();
  std::ranges::stable_sort(order, std::greater{}, [&ranks](TaskId task) { return ranks[index(task)]; });
  std::vector<std::size_t> position(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[index(order[i])] = i;

  PartialSchedule schedule(inputs);
  for (const TaskId task : order) {
    std::vector<TaskId> successors(graph.successors(task).begin(), graph.successors(task).end());
    std::ranges::sort(successors, {}, [&position](TaskId successor) { return position[index(successor)]; });
    std::vector<Slot> slots;
    schedule.for_each_slot(task, [&slots](const Slot& slot) { slots.push_back(slot); });
    std::pair least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};  // of the successors, own
    Slot best;
    for (const Slot& slot : slots) {
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
