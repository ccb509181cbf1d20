#include "models/policies.hpp"

#include "models/body_cost.hpp"
#include "models/policies/heft.hpp"
#include "models/policies/round_robin.hpp"
#include "models/policies/task_orders.hpp"

namespace tasktwin {

namespace {

struct TaskOrderEntry {
  TaskOrder order;
  std::unique_ptr<TaskOrderPolicy> (*make)(const PolicyInputs&);
};

constexpr TaskOrderEntry kTaskOrders[] = {
    {TaskOrder::kFifo, make_fifo},
    {TaskOrder::kLifo, make_lifo},
    {TaskOrder::kRandom, make_random_order},
    {TaskOrder::kCriticalPath, make_critical_path_order},
    {TaskOrder::kLongest, make_longest_first},
    {TaskOrder::kShortest, make_shortest_first},
    {TaskOrder::kMostSuccessors, make_most_successors_first},
    {TaskOrder::kPriority, make_priority_order},
};
static_assert(std::size(kTaskOrders) == Words<TaskOrder>::entries.size());

struct PlacementEntry {
  Placement placement;
  FrozenSchedule (*make)(const StaticInputs&);
};

constexpr PlacementEntry kPlacements[] = {
    {Placement::kRoundRobin, schedule_round_robin},
    {Placement::kHeft, schedule_heft},
};

template <class Entry, class Value>
const Entry& find_entry(std::span<const Entry> table, Value Entry::*field, Value value) {
  for (const Entry& entry : table) {
    if (entry.*field == value) return entry;
  }
  throw std::logic_error("a policy is missing from its table");
}

}  // namespace

std::unique_ptr<TaskOrderPolicy> make_task_order(TaskOrder order, const PolicyInputs& inputs) {
  return find_entry(std::span<const TaskOrderEntry>(kTaskOrders), &TaskOrderEntry::order, order).make(inputs);
}

FrozenSchedule make_frozen_schedule(Placement placement, const StaticInputs& inputs) {
  return find_entry(std::span<const PlacementEntry>(kPlacements), &PlacementEntry::placement, placement).make(inputs);
}

FrozenSchedule frozen_schedule(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Constants& c = machine.constants;
  std::vector<Duration> durations = expected_durations(graph, machine);
  for (Duration& duration : durations) duration += round_ns(c.start);  // each task occupies its worker for that too
  const std::vector<CoreType> workers = worker_cores(design, machine);
  const Duration hop = round_ns(c.release + c.counter_hop);
  return make_frozen_schedule(design.placement, {graph, durations, workers, hop, hop});
}

}  // namespace tasktwin
