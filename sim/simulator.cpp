#include "sim/simulator.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "models/cache.hpp"
#include "models/error.hpp"
#include "models/outcome.hpp"
#include "models/random.hpp"
#include "models/task_window.hpp"
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

void check_window(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  if (design.window == 0) return;
  const FrozenSchedule lists = in_list_order(design) ? frozen_schedule(graph, machine, design, options.replayed) : FrozenSchedule{};
  if (const auto deadlock = window_deadlock(graph, design, lists)) throw RunError("design '" + design.name + "': " + *deadlock);
}

/// What `timeline` says of the run as a whole, once it is over.
void finish(Timeline& timeline, const AsRun& machine, const Design& design, Duration first_look) {
  std::ranges::sort(timeline.blocks, {},
                    [](const BlockTimes& block) { return std::tuple(block.task, block.core, block.started, block.ended); });
  timeline.compute_cores = compute_cores(machine);
  timeline.on_streams = design.driver == Driver::kStreams;
  timeline.stopped = stopped(design, machine, timeline);
  if (has_workers(design.driver) && design.ready_queue != ReadyQueue::kPerWorker) timeline.ready_queue = queue_samples(timeline.tasks);
  timeline.delay(first_look);
}

/// Runs the tasks that exist: all of `graph`. What `options` have by TaskId is by those of it.
Simulation run(const TaskGraph& graph, const AsRun& machine, const Design& design, const BodyCosts& costs,
               const SimulationOptions& options) {
  check_window(graph, machine, design, options);
  Simulation simulation;
  const std::vector<CoreType> cores = timeline_cores(graph, machine, design);
  std::optional<TranslatedObserver> delayed;
  const Duration looked = machine.first_looks ? round_ns(first_look(design, *machine.first_looks)) : Duration{0};
  if (options.observer != nullptr) delayed.emplace(*options.observer, looked, graph.size());
  RunEvents events(simulation.timeline, delayed ? &*delayed : nullptr, options.record_steps, design.gang);
  events.run_begins(graph.size(), cores);
  const std::vector<Duration> durations = expected_durations(graph, machine);

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
                                                      .replayed = options.replayed,
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
  const ExistingPart part = existing_part(graph, outcome);
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

}  // namespace

Simulation simulate(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options) {
  check_design(design, machine);
  check_wired(design);
  check_constants(machine);
  check_tasks(graph, machine, design);
  check_program(graph, machine, design, options.program);
  AsRun met =
      as_run(design, machine,
             {.host_pace = options.host_pace, .cache_empty = finds_cache_empty(graph, machine), .given_bodies = !options.bodies.empty()});
  if (options.bodies.empty()) {
    if (const auto [time, sign] = beside_bodies(design); time != nullptr) {
      for (KernelCost& cost : met.kernels) cost.overhead += sign * (cost.*time);
    }
  }
  if (graph.has_predicates()) return run_existing(graph, met, design, options);
  return run(graph, met, design, BodyCosts(graph, met, options.seed, options.bodies), options);
}

}  // namespace tasktwin::sim
