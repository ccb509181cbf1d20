#include "models/bounds/bounds.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include "models/base/internal_error.hpp"
#include "models/base/planted.hpp"
#include "models/bounds/checked_bounds.hpp"
#include "models/bounds/core_work.hpp"
#include "models/bounds/dispatch.hpp"
#include "models/bounds/mixed.hpp"
#include "models/cost/body_cost.hpp"
#include "models/cost/prefetch.hpp"
#include "models/cost/prologue.hpp"
#include "models/program/captured_copy.hpp"
#include "models/run/outcome.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// By TaskId: what each body takes on an idle machine, on its own core type and, where it has one, on the other; `other` is empty where
/// none has.
struct Durations {
  std::vector<Duration> own;
  std::vector<Duration> other;
};

std::vector<Duration> other_durations(const TaskGraph& graph, const Machine& machine) {
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto& other = graph.traits(task_id(i)).other_type;
    if (!other) continue;
    durations.resize(graph.size());
    durations[i] = expected_cost(machine, graph, task_id(i), *other).alone(machine);
  }
  return durations;
}

Duration critical_path_bound(const TaskGraph& graph, const CoreWork& work) {
  std::vector<Duration> shortest;
  shortest.reserve(graph.size());
  for (const BodyWork& body : work.bodies) shortest.push_back(body.shortest());
  Duration longest{};
  for (const Duration level : bottom_levels(graph, shortest)) longest = std::max(longest, level);
  return longest;
}

/// All bytes at the bandwidth of all devices, and those of the tasks that state their device at that device's.
Duration memory_bound(const TaskGraph& graph, const Machine& machine, const std::vector<bool>& draws) {
  if (machine.memory->bandwidth <= 0 || machine.memory->core_bandwidth <= 0) return {};  // bytes take no time
  double bytes = 0;
  std::vector<double> of_device(static_cast<std::size_t>(machine.devices.count()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kKernel) continue;
    if (!draws.empty() && !draws[i]) continue;
    const Task& task = graph[task_id(i)];
    const double own = drawn_bytes(machine, graph, task_id(i));
    bytes += own;
    if (task.device >= 0 && static_cast<std::size_t>(task.device) < of_device.size())
      of_device[static_cast<std::size_t>(task.device)] += own;
  }
  const double most = std::max(bytes / machine.devices.count(), std::ranges::max(of_device));
  return Duration{static_cast<std::int64_t>(most / machine.memory->bandwidth)};
}

bool runs_on_workers(const Design& design) {
  const Runtime& runtime = runtime_of(design);
  return runtime.resident() || runtime.host_dispatched();
}

/// What a loader brings may take the body no time of its own, what is done ahead takes it none, and a worker's body takes less right after
/// another of its kernel.
BodyCost least_cost(BodyCost cost, const TaskGraph& graph, const Machine& machine, const Design& design, TaskId task) {
  if (has_prologue(graph.traits(task)) && prologues_ahead(design)) cost.overhead -= prologue_alone(machine, graph.traits(task));
  if (design.prefetch > 0 && constant_bytes(graph, task) > 0) cost.bytes = {};
  if (runs_on_workers(design)) cost.overhead -= std::min(cost.overhead, round_ns(machine.kernel_cost(graph[task].kernel).again));
  return cost;
}

/// `draws` by TaskId: whether the body draws its bytes; empty where all do.
Bounds bounds_of(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, const Design* design, Durations durations,
                 const std::vector<bool>& draws = {}) {
  const bool side_by_side = design != nullptr && !runtime_of(*design).resident();
  const CoreWork work = core_work(graph, machine, cores, side_by_side, durations.own, durations.other);
  durations = {};  // of a large graph they are a good part of what it takes to bound it
  Bounds bounds;
  bounds.critical_path = critical_path_bound(graph, work);
  bounds.area = area_bound(work);
  bounds.memory = memory_bound(graph, machine, draws);
  bounds.head_tail = head_tail_bound(graph, work);
  bounds.mixed = mixed_bound(work, bounds.critical_path);
  if (design != nullptr) bounds.dispatch = dispatch_bound(graph, machine, *design);
  if (design != nullptr && design->replays > 1) {
    for (Duration* const bound : {&bounds.critical_path, &bounds.area, &bounds.memory, &bounds.head_tail, &bounds.mixed, &bounds.dispatch})
      *bound *= design->replays;  // one after another
  }
  return bounds;
}

/// What the task takes whatever the machine says of its body; none where the machine is asked.
std::optional<Duration> given_time(const TaskGraph& graph, const Machine& machine, const RunInputs& inputs, TaskId task) {
  if (graph[task].operation == Operation::kKernel) {
    const bool given = !inputs.bodies.empty() && inputs.bodies[index(task)] >= Duration{0};
    return given ? std::optional(inputs.bodies[index(task)]) : std::nullopt;
  }
  if (inputs.program == nullptr) return std::nullopt;
  const std::optional<Bytes> bytes = captured_bytes(graph, machine, *inputs.program, task);
  if (!bytes) return std::nullopt;
  return Duration{static_cast<std::int64_t>(static_cast<double>(bytes->count) / transfer_rate(machine, graph[task].operation, false))};
}

}  // namespace

std::array<std::pair<std::string_view, Duration>, Bounds::kCount> Bounds::entries() const {
  return {{{"critical_path", critical_path},
           {"area", area},
           {"memory", memory},
           {"head_tail", head_tail},
           {"mixed", mixed},
           {"dispatch", dispatch}}};
}

Duration Bounds::highest() const { return std::ranges::max(entries() | std::views::values); }

std::string_view Bounds::highest_name() const {
  const auto all = entries();
  return std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second; })->first;
}

Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, std::span<const Duration> durations) {
  return bounds_of(graph, machine, cores, nullptr, {{durations.begin(), durations.end()}, other_durations(graph, machine)});
}

Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, std::span<const Duration> durations) {
  std::vector<Duration> own(durations.begin(), durations.end());
  const bool less = runs_on_workers(design) || (graph.has_prologues() && prologues_ahead(design));
  for (std::size_t i = 0; less && i < own.size(); ++i) {
    const BodyCost cost = expected_cost(machine, graph, task_id(i), graph[task_id(i)].core_type);
    own[i] = std::min(own[i], least_cost(cost, graph, machine, design, task_id(i)).alone(machine));
  }
  return bounds_of(graph, machine, on_all_devices(worker_cores(design, machine), machine), &design,
                   {std::move(own), other_durations(graph, machine)});
}

Bounds run_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return bounds_of_run(graph, machine, design, {.seed = seed});
}

Bounds bounds_of_run(const TaskGraph& graph, const Machine& machine, const Design& design, const RunInputs& inputs) {
  const Outcome outcome = draw_outcome(graph, inputs.seed);
  Durations durations;
  std::vector<bool> draws;
  durations.own.reserve(graph.size());
  draws.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!outcome.exists[i]) continue;
    const std::optional<Duration> given = given_time(graph, machine, inputs, task_id(i));
    draws.push_back(outcome.holds[i] && !given);
    const auto drawn = [&](CoreType on) {
      if (given) return outcome.holds[i] ? *given : Duration{0};
      const BodyCost cost = least_cost(body_cost(machine, graph, task_id(i), on, inputs.seed), graph, machine, design, task_id(i));
      if (outcome.holds[i]) return cost.alone(machine);
      return design.graph_predicates == GraphPredicates::kKernel ? cost.overhead : Duration{0};  // a conditional node leaves it out
    };
    const std::optional<CoreType>& other_type = graph.traits(task_id(i)).other_type;
    durations.own.push_back(drawn(graph[task_id(i)].core_type));
    if (other_type) durations.other.resize(durations.own.size());
    if (other_type) durations.other.back() = drawn(*other_type);
  }
  if (!durations.other.empty()) durations.other.resize(durations.own.size());
  const std::vector<CoreType> cores = on_all_devices(worker_cores(design, machine), machine);
  const auto of = [&](const TaskGraph& part) {
    Bounds bounds = bounds_of(part, machine, cores, &design, std::move(durations), draws);
    if (planted() == Planted::kBound) bounds.critical_path += std::chrono::hours(1);
    return bounds;
  };
  return durations.own.size() == graph.size() ? of(graph) : of(existing_part(graph, outcome).graph);
}

Bounds checked_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, const RunInputs& inputs, Duration makespan) {
  const Bounds bounds = bounds_of_run(graph, machine, design, inputs);
  if (bounds.highest() <= makespan) return bounds;
  throw InternalError("design '" + design.name + "', seed " + std::to_string(inputs.seed) + ": the run takes " +
                      std::to_string(to_ns(makespan)) + " ns, less than its bound '" + std::string(bounds.highest_name()) + "' of " +
                      std::to_string(to_ns(bounds.highest())) + " ns");
}

}  // namespace tasktwin
