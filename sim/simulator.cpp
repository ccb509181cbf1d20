#include "sim/simulator.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/task_window.hpp"
#include "models/cost/cache.hpp"
#include "models/design/design_parts.hpp"
#include "models/program/device_graph.hpp"
#include "models/run/outcome.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/admission.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/standstill.hpp"
#include "sim/engine/translated_observer.hpp"
#include "sim/queue_samples.hpp"
#include "sim/termination.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

void check_window(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists) {
  if (design.graph_build == GraphBuild::kHost) return;
  const auto deadlock = window_deadlock(graph, design, lists);
  if (deadlock) throw RunError("design '" + design.name + "': " + *deadlock);
}

/// A counter reaches zero as the last of its predecessors is published; nothing else happens to it.
void pass_events(const TaskGraph& graph, const Timeline& timeline, RunEvents& events) {
  if (!graph.has_operations()) return;
  for (const TaskId task : graph.topological_order()) {
    if (graph[task].operation != Operation::kEvent) continue;
    TimePoint at{};
    for (const TaskId predecessor : graph.predecessors(task)) at = std::max(at, timeline.tasks[index(predecessor)].published);
    events.ready(task, at);
    events.dispatched(task, at);
    events.received(task, kNoCore, at);
    events.started(task, at);
    events.ended(task, at);
    events.published(task, at);
  }
}

/// Before the run of the device, where the design times it.
Duration host_build_time(const TaskGraph& graph, const AsRun& machine, const Design& design) {
  if (design.host_build == HostBuild::kUntimed) return Duration{0};
  const mechanism::HostBuild& build = *machine.host_build;
  return round_ns(build.run + build.upload + static_cast<double>(graph.size()) * (build.task + build.upload_task) +
                  static_cast<double>(graph.edge_count()) * build.dependency);
}

/// By core: as many for each device.
std::vector<std::int32_t> devices_of(std::size_t cores, int devices) {
  std::vector<std::int32_t> all(cores);
  const std::size_t each = std::max<std::size_t>(1, cores / static_cast<std::size_t>(devices));
  for (std::size_t i = 0; i < cores; ++i) all[i] = static_cast<std::int32_t>(i / each);
  return all;
}

void tell_devices(Timeline& timeline, int devices) {
  if (devices == 1) return;
  timeline.core_devices = devices_of(timeline.cores.size(), devices);
  timeline.compute_core_devices = devices_of(timeline.compute_cores.size(), devices);
}

/// What `timeline` says of the run as a whole, once it is over.
void finish(Timeline& timeline, const AsRun& machine, const Design& design, Duration first_look) {
  std::ranges::sort(timeline.blocks, {},
                    [](const BlockTimes& block) { return std::tuple(block.task, block.core, block.started, block.ended); });
  timeline.compute_cores = on_all_devices(compute_cores(machine), machine);
  timeline.on_streams = runtime_of(design).streams();
  timeline.workers_per_core = design.workers_per_core;
  timeline.runs = design.replays;
  tell_devices(timeline, machine.devices.count());
  timeline.stopped = stopped(design, machine, timeline);
  if (runtime_of(design).resident() && design.ready_queue != ReadyQueue::kPerWorker) timeline.ready_queue = queue_samples(timeline.tasks);
  timeline.delay(first_look);
}

/// Runs the tasks that exist: all of `graph`. What `options` have by TaskId is by those of it.
Simulation run(const TaskGraph& graph, const AsRun& machine, const Design& design, const BodyCosts& costs,
               const SimulationOptions& options) {
  const bool frozen = has_lists(design);
  // Placing takes as much memory as the run does, so it is over before the run's is taken.
  const FrozenSchedule lists = frozen ? frozen_schedule(graph, machine, design, options.replayed) : FrozenSchedule{};
  check_window(graph, design, lists);
  Simulation simulation;
  const std::vector<CoreType> cores = timeline_cores(graph, machine, design);
  std::optional<TranslatedObserver> delayed;
  const Duration looked =
      (machine.first_looks ? round_ns(first_look(design, *machine.first_looks)) : Duration{0}) + host_build_time(graph, machine, design);
  if (options.observer != nullptr) delayed.emplace(*options.observer, looked, graph.size());
  RunEvents events(simulation.timeline, delayed ? &*delayed : nullptr, options.record_steps, design.gang);
  events.run_begins(graph.size(), cores);
  const std::vector<Duration> durations = planned_durations(graph, machine);

  Platform& platform = Platform::instance();
  const Platform::Turn turn(platform, options.interrupted);
  const bool activities = graph.has_operations() || options.bandwidth_solver == BandwidthSolver::kSimGrid;
  platform.calendar().begin_run(options.interrupted);
  platform.calendar().set_run_ahead(activities ? RunAhead::kNever : RunAhead::kWhenAlone);
  const std::unique_ptr<Wiring> wiring = make_wiring({.graph = graph,
                                                      .machine = machine,
                                                      .design = design,
                                                      .costs = costs,
                                                      .durations = durations,
                                                      .lists = lists,
                                                      .seed = options.seed,
                                                      .chance = options.run == 0 ? options.seed : mix(options.seed) + options.run,
                                                      .cores = cores,
                                                      .program = options.program,
                                                      .bandwidth_solver = options.bandwidth_solver,
                                                      .calendar = platform.calendar(),
                                                      .events = events});
  wiring->begin();
  simulation.wall_seconds = platform.run();

  if (const std::string failure = wiring->failure(); !failure.empty()) throw RunError("design '" + design.name + "': " + failure);
  pass_events(graph, simulation.timeline, events);
  check_finished(graph, simulation.timeline);
  finish(simulation.timeline, machine, design, looked);
  return simulation;
}

/// Puts the times of the tasks that exist where `graph` has them.
void restore_ids(Timeline& timeline, const std::vector<TaskId>& original, std::size_t tasks) {
  std::vector<TaskTimes> all(tasks);
  for (std::size_t i = 0; i < original.size(); ++i) all[index(original[i])] = timeline.tasks[i];
  timeline.tasks = std::move(all);
  for (BlockTimes& block : timeline.blocks) block.task = original[index(block.task)];
}

Simulation run_existing(const TaskGraph& graph, const AsRun& machine, const Design& design, const SimulationOptions& options) {
  const Outcome outcome = draw_outcome(graph, options.seed);
  const GraphPart part = existing_part(graph, outcome);
  SimulationOptions with = options;
  Timeline replayed;
  if (options.replayed) {
    for (const TaskId task : part.original) replayed.tasks.push_back(options.replayed->tasks[index(task)]);
    with.replayed = &replayed;
  }
  std::optional<TranslatedObserver> original;
  if (options.observer != nullptr) with.observer = &original.emplace(*options.observer, Duration{0}, graph.size(), part.original);
  Simulation simulation = run(part.graph, machine, design,
                              BodyCosts(graph, machine, options.seed, options.bodies).of(part.original, part.graph, outcome.holds), with);
  restore_ids(simulation.timeline, part.original, graph.size());
  return simulation;
}

Simulation simulate_as_is(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  const AsRun met =
      as_run(design, machine,
             {.host_pace = options.host_pace, .cache_empty = finds_cache_empty(graph, machine), .given_bodies = !options.bodies.empty()});
  if (graph.has_predicates()) return run_existing(graph, met, design, options);
  return run(graph, met, design, BodyCosts(graph, met, options.seed, options.bodies), options);
}

/// The run of `gated`, which has gates after the tasks of the graph, as one of these.
Simulation simulate_gated(const TaskGraph& gated, std::size_t tasks, const Machine& machine, const Design& design,
                          SimulationOptions options) {
  std::vector<Duration> bodies(options.bodies.begin(), options.bodies.end());
  if (!bodies.empty()) bodies.resize(gated.size(), Duration{-1});
  options.bodies = bodies;
  std::optional<TranslatedObserver> without_gates;
  if (options.observer != nullptr) options.observer = &without_gates.emplace(*options.observer, Duration{0}, tasks);
  Simulation simulation = simulate_as_is(gated, machine, design, options);
  simulation.timeline.tasks.resize(tasks);
  std::erase_if(simulation.timeline.blocks, [tasks](const BlockTimes& block) { return index(block.task) >= tasks; });
  return simulation;
}

/// Of a graph whose tasks all have their device.
Simulation simulate_placed(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  check_tasks(graph, machine, design);
  check_program(graph, machine, design, options.program);
  if (const auto gated = with_gates(graph, design)) return simulate_gated(*gated, graph.size(), machine, design, options);
  return simulate_as_is(graph, machine, design, options);
}

/// The copies that the design has put in are no tasks of the graph that was given.
void take_out_copies(Timeline& timeline, const DeviceGraph& on) {
  for (std::size_t i = on.tasks; i < on.graph.size(); ++i) {
    const Task& copy = on.graph[task_id(i)];
    const TaskTimes& times = timeline.tasks[i];
    timeline.transfers.push_back({.from = copy.device,
                                  .to = copy.args[2],
                                  .of = *on.graph.predecessors(task_id(i)).begin(),
                                  .bytes = copy.cost.bytes.count,
                                  .began = times.started,
                                  .ended = times.ended});
  }
  timeline.tasks.resize(on.tasks);
}

Simulation simulate_on_devices(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  const DeviceGraph on = on_devices(graph, machine, design);
  SimulationOptions with = options;
  std::vector<Duration> bodies(options.bodies.begin(), options.bodies.end());
  if (!bodies.empty()) bodies.resize(on.graph.size(), Duration{-1});
  with.bodies = bodies;
  std::optional<TranslatedObserver> given;
  if (options.observer != nullptr && on.graph.size() > on.tasks) with.observer = &given.emplace(*options.observer, Duration{0}, on.tasks);
  Simulation simulation = simulate_placed(on.graph, machine, design, with);
  take_out_copies(simulation.timeline, on);
  return simulation;
}

}  // namespace

Simulation simulate(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  check_design(design, machine);
  check_constants(machine);
  if (machine.devices.count() > 1) return simulate_on_devices(graph, machine, design, options);
  if (graph.devices() > 1 || graph.has_collectives()) check_devices(graph, machine);
  return simulate_placed(graph, machine, design, options);
}

}  // namespace tasktwin::sim
