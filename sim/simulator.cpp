#include "sim/simulator.hpp"

#include <algorithm>
#include <optional>

#include "models/base/error.hpp"
#include "models/base/planted.hpp"
#include "models/checks/stalls.hpp"
#include "models/cost/cache.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/events.hpp"
#include "models/program/device_graph.hpp"
#include "models/run/event_times.hpp"
#include "models/run/fallback.hpp"
#include "models/run/outcome.hpp"
#include "models/runtimes/event_counting.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/admission.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/engine/translated_observer.hpp"
#include "sim/run.hpp"
#include "sim/run_check.hpp"
#include "sim/streams/checks/operation_check.hpp"

namespace tasktwin::sim {

namespace {

/// Lists that were not made from the graph, and windows, may make the run hang.
void check_stalls(const TaskGraph& graph, const Machine& machine, const Design& design, const FrozenSchedule& lists) {
  if (design.graph_build == GraphBuild::kHost && design.placement != Placement::kReplay) return;
  const auto stall = certain_stall({graph, machine, design, lists});
  if (stall) throw RunError("design '" + design.name + "': " + stall->text());
}

/// Runs the tasks that exist: all of `graph`. What `options` have by TaskId is by those of it.
Simulation run(const TaskGraph& graph, const AsRun& machine, const Design& design, const BodyCosts& costs,
               const SimulationOptions& options) {
  // Placing takes as much memory as the run does, so it is over before the run's is taken.
  const FrozenSchedule lists = has_lists(design) ? frozen_schedule(graph, machine.constants(), design, options.replayed) : FrozenSchedule{};
  check_stalls(graph, machine.constants(), design, lists);
  const std::vector<Duration> durations = planned_durations(graph, machine.constants());
  return run_once({graph, machine, design, costs, lists, durations, options});
}

/// A graph that runs in place of another.
struct Rewritten {
  TaskGraph graph;
  std::vector<TaskId> original;  ///< of its first tasks: those of the other graph that they are; the further ones are put in
};

std::vector<TaskId> first_tasks(std::size_t count) {
  std::vector<TaskId> tasks;
  tasks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(task_id(i));
  return tasks;
}

/// `values` of the original tasks by those of the rewritten graph.
template <class Value>
std::vector<Value> of_rewritten(std::span<const Value> values, const Rewritten& rewritten) {
  std::vector<Value> all;
  all.reserve(rewritten.graph.size());
  for (const TaskId task : rewritten.original) all.push_back(values[index(task)]);
  return all;
}

/// Puts what the timeline has of the tasks where the original graph of `tasks` has them, and leaves out those put in.
void restore_ids(Timeline& timeline, const std::vector<TaskId>& original, std::size_t tasks) {
  std::vector<TaskTimes> all(tasks);
  for (std::size_t i = 0; i < original.size(); ++i) all[index(original[i])] = timeline.tasks[i];
  timeline.tasks = std::move(all);
  std::erase_if(timeline.blocks, [&original](const BlockTimes& block) { return index(block.task) >= original.size(); });
  for (BlockTimes& block : timeline.blocks) block.task = original[index(block.task)];
  for (PeerTransfer& transfer : timeline.transfers) transfer.of = original[index(transfer.of)];
}

/// The run of a graph in place of one of `tasks` tasks, as one of that: what `options` say of its tasks, and whom they have told, go by the
/// TaskIds of the original. `run` simulates the rewritten graph.
template <class Run>
Simulation run_rewritten(const Rewritten& rewritten, std::size_t tasks, SimulationOptions options, const Run& run) {
  std::vector<Duration> bodies;
  if (!options.bodies.empty()) {
    bodies = of_rewritten(options.bodies, rewritten);
    bodies.resize(rewritten.graph.size(), Duration{-1});
    options.bodies = bodies;
  }
  Timeline replayed;
  if (options.replayed != nullptr && options.replayed->tasks.size() == tasks) {  // of any other it is refused
    replayed.tasks = of_rewritten(std::span(options.replayed->tasks), rewritten);
    options.replayed = &replayed;
  }
  std::optional<TranslatedObserver> translated;
  if (options.observer != nullptr) options.observer = &translated.emplace(*options.observer, Duration{0}, tasks, rewritten.original);
  Simulation simulation = run(rewritten.graph, options);
  restore_ids(simulation.timeline, rewritten.original, tasks);
  return simulation;
}

/// The tasks that exist, and no others.
Simulation run_existing(const TaskGraph& graph, const AsRun& machine, const Design& design, const SimulationOptions& options) {
  const Outcome outcome = draw_outcome(graph, options.seed);
  GraphPart part = existing_part(graph, outcome);
  const Rewritten existing{std::move(part.graph), std::move(part.original)};
  const BodyCosts costs(graph, machine, options.seed, options.bodies);
  return run_rewritten(existing, graph.size(), options, [&](const TaskGraph& tasks, const SimulationOptions& with) {
    return run(tasks, machine, design, costs.of(existing.original, tasks, outcome.holds), with);
  });
}

Simulation simulate_as_is(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  const AsRun met =
      as_run(design, machine,
             {.host_pace = options.host_pace, .cache_empty = finds_cache_empty(graph, machine), .given_bodies = !options.bodies.empty()});
  if (graph.has_predicates()) return run_existing(graph, met, design, options);
  return run(graph, met, design, BodyCosts(graph, met, options.seed, options.bodies), options);
}

/// Of a graph whose tasks all have their device.
Simulation simulate_placed(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  check_tasks(graph, machine, design);
  check_program(graph, machine, design, options.program);
  std::optional<TaskGraph> gated = with_gates(graph, design);
  if (!gated) return simulate_as_is(graph, machine, design, options);
  const Rewritten rewritten{std::move(*gated), first_tasks(graph.size())};
  return run_rewritten(rewritten, graph.size(), options,
                       [&](const TaskGraph& tasks, const SimulationOptions& with) { return simulate_as_is(tasks, machine, design, with); });
}

/// The copies that the design has put in after the first `tasks` are no tasks of the graph that was given.
void note_transfers(Timeline& timeline, const TaskGraph& graph, std::size_t tasks) {
  for (std::size_t i = tasks; i < graph.size(); ++i) {
    const Task& copy = graph[task_id(i)];
    const TaskTimes& times = timeline.tasks[i];
    timeline.transfers.push_back({.from = copy.device,
                                  .to = copy.args[2],
                                  .of = *graph.predecessors(task_id(i)).begin(),
                                  .bytes = copy.cost.bytes.count,
                                  .began = times.started,
                                  .ended = times.ended});
  }
}

Simulation simulate_on_devices(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  DeviceGraph on = on_devices(graph, machine, design);
  const Rewritten spread{std::move(on.graph), first_tasks(on.tasks)};
  return run_rewritten(spread, on.tasks, options, [&](const TaskGraph& tasks, const SimulationOptions& with) {
    Simulation simulation = simulate_placed(tasks, machine, design, with);
    note_transfers(simulation.timeline, tasks, spread.original.size());
    return simulation;
  });
}

Simulation run_anywhere(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  if (machine.devices.count() > 1) return simulate_on_devices(graph, machine, design, options);
  if (graph.devices() > 1 || graph.has_collectives()) check_devices(graph, machine);
  return simulate_placed(graph, machine, design, options);
}

/// Under a design that counts no events: with edges in their place.
Simulation run_joined(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  GraphPart joined = edges_for_events(graph, design);
  const Rewritten rewritten{std::move(joined.graph), std::move(joined.original)};
  Simulation simulation = run_rewritten(rewritten, graph.size(), options, [&](const TaskGraph& tasks, const SimulationOptions& with) {
    return run_anywhere(tasks, machine, design, with);
  });
  // A kernel that launches others has ended before it is published, and so may be what waited for it.
  const bool by_ends = runtime_of(design).id == RuntimeId::kDynamicParallelism;
  note_events(graph, simulation.timeline.tasks,
              [by_ends](const TaskTimes& times) { return by_ends && is_present(times.ended) ? times.ended : finish(times); });
  for (std::size_t i = 0; i < graph.size() && options.observer != nullptr; ++i) {
    const TimePoint at = simulation.timeline.tasks[i].ended;
    if (is_event(graph[task_id(i)]) && is_present(at)) tell_event(*options.observer, task_id(i), at);
  }
  return simulation;
}

/// Of the first edge whose tasks both ran.
void break_edge(const TaskGraph& graph, Timeline& timeline) {
  for (const TaskId task : graph.topological_order()) {
    for (const TaskId successor : graph.successors(task)) {
      if (!is_present(timeline.tasks[index(task)].ended) || !is_present(timeline.tasks[index(successor)].started)) continue;
      TaskTimes& times = timeline.tasks[index(successor)];
      times.ready = times.dispatched = times.received = times.started = timeline.tasks[index(task)].ended - Duration{1};
      return;
    }
  }
}

}  // namespace

Simulation simulate(const TaskGraph& graph, const Machine& machine, const Design& stated, const SimulationOptions& options) {
  check_design(stated, machine);
  const Design design = design_of_run(graph, machine, stated);
  if (falls_back(graph, machine, stated)) check_design(design, machine);
  check_constants(machine);
  const bool joins = event_count(graph) > 0 && !counts_events(design);
  Simulation simulation = joins ? run_joined(graph, machine, design, options) : run_anywhere(graph, machine, design, options);
  if (planted() == Planted::kEdge) break_edge(graph, simulation.timeline);
  check_run(graph, machine, design, options.seed, simulation.timeline);
  return simulation;
}

}  // namespace tasktwin::sim
