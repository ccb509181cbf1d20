#include "models/policies/policies.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <stdexcept>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/policies/built_in.hpp"
#include "models/policies/list_scheduling.hpp"
#include "models/policies/own_policies.hpp"
#include "models/rules/steal_size.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

template <class Value, class Make>
struct Entry {
  Value value;
  Make* make;
};

constexpr Entry<TaskOrder, std::unique_ptr<TaskOrderPolicy>(const PolicyInputs&)> kTaskOrders[] = {
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

constexpr Entry<Placement, std::unique_ptr<CorePolicy>(const TaskGraph&, std::span<const PastRun>)> kCorePolicies[] = {
    {Placement::kAnyIdle, make_any_idle},
    {Placement::kLeastLoaded, make_least_loaded},
    {Placement::kLocality, make_locality},
};

constexpr Entry<Victim, std::unique_ptr<VictimPolicy>(Victim, std::uint64_t)> kVictims[] = {
    {Victim::kRandom, make_ordered_victim},
    {Victim::kNext, make_ordered_victim},
    {Victim::kNearest, make_ordered_victim},
    {Victim::kMostLoaded, make_most_loaded_victim},
};
static_assert(std::size(kVictims) == Words<Victim>::entries.size());

template <StaticSchedule (*Schedule)(const StaticInputs&)>
FrozenSchedule lists_of(const StaticInputs& inputs) {
  return Schedule(inputs).lists;
}

constexpr Entry<Placement, FrozenSchedule(const StaticInputs&)> kStaticSchedulers[] = {
    {Placement::kRoundRobin, round_robin},   {Placement::kHeft, lists_of<heft>}, {Placement::kCpop, lists_of<cpop>},
    {Placement::kPeft, lists_of<peft>},      {Placement::kDls, lists_of<dls>},   {Placement::kLookahead, lists_of<lookahead>},
    {Placement::kMinMin, lists_of<min_min>}, {Placement::kReplay, replay},
};
static_assert(std::size(kCorePolicies) + std::size(kStaticSchedulers) == Words<Placement>::entries.size());

template <class Value, class Make, std::size_t Size>
Make* find_make(const Entry<Value, Make> (&table)[Size], Value value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.make;
  }
  throw std::logic_error("a policy is missing from its table");
}

/// Frozen lists are of tasks that need one worker each and are known beforehand, unless spawned ones have another queue.
void check_frozen(const TaskGraph& graph, const Design& design, bool spawned_elsewhere) {
  if (!graph.has_spawns() && !graph.has_wide_tasks()) return;
  const auto refuse = [&](TaskId task, const std::string& why) {
    throw InputError("placement " + axis_named("placement").quoted(design) + " puts tasks into lists beforehand, but task '" +
                     std::string(graph.name(task)) + "' " + why);
  };
  for (const TaskId task : graph.topological_order()) {
    const auto spawner = graph.spawner(task);
    if (spawner && !spawned_elsewhere) refuse(task, "comes to be only when '" + std::string(graph.name(*spawner)) + "' ends");
    if (graph[task].core_type == CoreType::kMix) refuse(task, "is of core type 'mix' and needs a whole cluster");
    if (graph.traits(task).blocks > 1)
      refuse(task, "has " + std::to_string(graph.traits(task).blocks) + " blocks and needs a core for each");
  }
}

/// The bytes of the edge; 0 where it has none.
std::int64_t edge_bytes(const TaskGraph& graph, TaskId from, TaskId to) {
  const auto bytes = graph.input_bytes(to);
  if (bytes.empty()) return 0;
  const auto predecessors = graph.predecessors(to);
  return bytes[static_cast<std::size_t>(std::ranges::lower_bound(predecessors, from) - predecessors.begin())];
}

}  // namespace

std::unique_ptr<TaskOrderPolicy> make_task_order(TaskOrder order, const PolicyInputs& inputs) {
  return find_make(kTaskOrders, order)(inputs);
}

std::unique_ptr<CorePolicy> make_core_policy(Placement placement, const TaskGraph& graph, std::span<const PastRun> so_far) {
  return find_make(kCorePolicies, placement)(graph, so_far);
}

std::unique_ptr<VictimPolicy> make_victim_policy(Victim victim, std::uint64_t seed) { return find_make(kVictims, victim)(victim, seed); }

std::unique_ptr<TaskOrderPolicy> make_task_order(const Design& design, const PolicyInputs& inputs) {
  return design.own.order ? make_own_order(*design.own.order, inputs) : make_task_order(design.order, inputs);
}

std::unique_ptr<CorePolicy> make_core_policy(const Design& design, const TaskGraph& graph, std::span<const PastRun> so_far) {
  return design.own.placement ? make_own_placement(*design.own.placement, graph, so_far)
                              : make_core_policy(design.placement, graph, so_far);
}

std::unique_ptr<VictimPolicy> make_victim_policy(const Design& design, std::uint64_t seed) {
  return design.own.victim ? make_own_victim(*design.own.victim, seed) : make_victim_policy(design.victim, seed);
}

std::function<std::uint32_t(std::uint32_t there)> make_steal_size(const Design& design) {
  if (design.own.stealing) return make_own_steal_size(*design.own.stealing);
  return rules::StealSize{design.stealing, static_cast<std::uint32_t>(design.steal_batch)};
}

namespace {

void check_types(const StaticInputs& inputs) {
  std::vector<std::size_t> workers = inputs.kinds.empty() ? std::vector<std::size_t>(inputs.workers) : worker_classes(inputs).first_worker;
  if (inputs.kinds.empty()) std::iota(workers.begin(), workers.end(), std::size_t{0});
  for (const TaskId task : inputs.graph.topological_order()) {
    if (std::ranges::none_of(workers, [&](std::size_t worker) { return inputs.cost(task, worker) >= 0; })) {
      throw InputError("task '" + std::string(inputs.graph.name(task)) + "' needs a core type that no worker has");
    }
  }
}

}  // namespace

FrozenSchedule make_frozen_schedule(Placement placement, const StaticInputs& inputs) {
  check_types(inputs);
  return find_make(kStaticSchedulers, placement)(inputs);
}

namespace {

/// Each device's tasks are placed among its workers by what that device has. Placement knows nothing of edges that cross: in the whole
/// graph's topological order no list waits for itself by way of another device.
FrozenSchedule lists_on_devices(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<std::size_t> position(graph.size());
  for (std::size_t at = 0; const TaskId task : graph.topological_order()) position[index(task)] = at++;
  Machine one = machine;
  one.devices = {};
  FrozenSchedule all;
  for (int device = 0; device < machine.devices.count(); ++device) {
    std::vector<bool> here(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) here[i] = graph[task_id(i)].device == device;
    const GraphPart part = part_of(graph, here);
    FrozenSchedule lists = part.original.empty() ? FrozenSchedule{} : frozen_schedule(part.graph, one, design);
    lists.resize(worker_cores(design, machine).size());
    for (std::vector<TaskId>& list : lists) {
      for (TaskId& task : list) task = part.original[index(task)];
      std::ranges::sort(list, {}, [&position](TaskId task) { return position[index(task)]; });
      all.push_back(std::move(list));
    }
  }
  return all;
}

bool may_be_on(const TaskTraits& traits, std::size_t worker) {
  return !traits.workers ||
         (static_cast<std::size_t>(traits.workers->front()) <= worker && worker <= static_cast<std::size_t>(traits.workers->back()));
}

/// The workers at which a range that tasks name begins, or one has just ended; nothing where tasks name none.
std::set<std::size_t> range_bounds(const TaskGraph& graph) {
  std::set<std::size_t> bounds;
  for (const TaskTraits& traits : graph.all_traits()) {
    if (!traits.workers) continue;
    bounds.insert(static_cast<std::size_t>(traits.workers->front()));
    bounds.insert(static_cast<std::size_t>(traits.workers->back()) + 1);
  }
  return bounds;
}

}  // namespace

void check_worker_ranges(const TaskGraph& graph, const Design& design, std::span<const CoreType> workers) {
  const bool some = lists_some(design);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTraits& traits = graph.traits(task_id(i));
    if (!traits.workers) continue;
    const Task& task = graph[task_id(i)];
    const auto [first, last] = *traits.workers;
    const std::string named = "task '" + std::string(graph.name(task_id(i))) + "' names workers " + std::to_string(first) + " to " +
                              std::to_string(last) + ", but ";
    if (some) throw InputError(named + "design '" + design.name + "' has a shared queue beside its lists, which keeps to none");
    if (static_cast<std::size_t>(last) >= workers.size())
      throw InputError(named + "a device has workers 0 to " + std::to_string(workers.size() - 1));
    const auto range = workers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first) + 1);
    const auto runs_it = [&](CoreType worker) { return worker == task.core_type || worker == traits.other_type; };
    if (task.operation == Operation::kKernel && std::ranges::none_of(range, runs_it))
      throw InputError(named + "none of these is of type '" + std::string(to_word(task.core_type)) + "'" +
                       (traits.other_type ? " or '" + std::string(to_word(*traits.other_type)) + "'" : ""));
  }
}

FrozenSchedule frozen_schedule(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline* replayed) {
  if (machine.devices.count() > 1) return lists_on_devices(graph, machine, design);
  const bool hybrid = lists_some(design);
  check_frozen(graph, design, hybrid);
  const std::vector<CoreType> workers = worker_cores(design, machine);
  const std::vector<Duration> durations = planned_durations(graph, machine);
  const std::int64_t start = round_ns(machine.resident_cores->start).count();  // each task occupies its worker for that too
  check_worker_ranges(graph, design, workers);
  const std::set<std::size_t> bounds = range_bounds(graph);
  // Where all is of one type the tasks themselves need not be looked at.
  const bool alike = bounds.empty() && graph.has_one_core_type() && !graph.has_operations() && graph.size() > 0 &&
                     std::ranges::all_of(workers, [type = graph[task_id(0)].core_type](CoreType worker) { return worker == type; });
  const auto cost = [&](TaskId task, std::size_t worker) -> std::int64_t {
    if (alike) return start + durations[index(task)].count();
    if (graph[task].operation == Operation::kEvent) return 0;
    if (!may_be_on(graph.traits(task), worker)) return -1;
    if (workers[worker] == graph[task].core_type) return start + durations[index(task)].count();
    if (workers[worker] != graph.traits(task).other_type) return -1;
    return start + expected_cost(machine, graph, task, workers[worker]).alone(machine).count();
  };
  const std::int64_t hop = round_ns(machine.resident_cores->release + machine.resident_cores->counter_hop).count();
  const bool carries = machine.memory->core_bandwidth > 0 && graph.has_edge_bytes();
  const auto communication = [&](TaskId from, TaskId to, bool same_worker) -> std::int64_t {
    if (same_worker || !carries) return hop;
    const auto bytes = static_cast<double>(edge_bytes(graph, from, to));
    return hop + round_ns(Nanoseconds{bytes / machine.memory->core_bandwidth}).count();
  };
  std::vector<int> kinds;
  kinds.reserve(workers.size());
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    const auto range = static_cast<std::size_t>(std::distance(bounds.begin(), bounds.upper_bound(worker)));
    kinds.push_back(static_cast<int>(range * kCoreTypeCount + static_cast<std::size_t>(workers[worker])));
  }
  const StaticInputs inputs{graph, workers.size(), cost, communication, replayed, std::move(kinds)};
  if (design.own.placement) check_types(inputs);
  FrozenSchedule schedule =
      design.own.placement ? make_own_schedule(*design.own.placement, inputs) : make_frozen_schedule(design.placement, inputs);

  const std::vector<TaskSeat> seats = task_seats(graph, design);
  if (std::ranges::all_of(seats, [](TaskSeat seat) { return seat == TaskSeat::kList; })) return schedule;
  for (auto& list : schedule) std::erase_if(list, [&seats](TaskId task) { return seats[index(task)] != TaskSeat::kList; });
  return schedule;
}

}  // namespace tasktwin
