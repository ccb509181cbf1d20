#include "sim/run.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/stalls.hpp"
#include "models/design/design_parts.hpp"
#include "models/run/event_times.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/standstill.hpp"
#include "sim/engine/translated_observer.hpp"
#include "sim/queue_samples.hpp"
#include "sim/termination.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// A run that has come to a standstill all the same says what could have brought that about.
void check_end(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline& timeline) {
  auto text = standstill(graph, timeline);
  if (!text) return;
  for (const std::string& stall : possible_stalls(graph, machine, design)) *text += "; " + stall;
  throw RunError("design '" + design.name + "': " + *text);
}

/// A counter reaches zero as the last of its predecessors is published; nothing else happens to it.
void tell_events(const TaskGraph& graph, const Timeline& timeline, RunEvents& events) {
  pass_events(graph, timeline.tasks, tasktwin::finish, [&events](TaskId task, TimePoint at) { events.happened(task, at); });
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
void finish(Timeline& timeline, const AsRun& machine, const Design& design, Duration first_poll) {
  std::ranges::sort(timeline.blocks, {},
                    [](const BlockTimes& block) { return std::tuple(block.task, block.core, block.started, block.ended); });
  timeline.compute_cores = on_all_devices(compute_cores(machine.constants()), machine.constants());
  timeline.on_streams = runtime_of(design).streams();
  timeline.workers_per_core = design.workers_per_core;
  timeline.runs = design.replays;
  tell_devices(timeline, machine.devices.count());
  timeline.stopped = stopped(design, machine, timeline);
  timeline.delay(first_poll);
}

/// Begins the run, where `stops` say at one of its checkpoints, and keeps what they ask for.
void begin(Wiring& wiring, Calendar& calendar, Timeline& timeline, Stops* stops) {
  Resumable* const resumable = stops != nullptr ? wiring.resumable() : nullptr;
  if (resumable == nullptr || stops->from == nullptr) {
    wiring.begin();
  } else {
    const Checkpoint& from = *stops->from;
    std::ranges::copy(from.tasks, timeline.tasks.begin());
    calendar.resume(from.calendar, from.handlers, resumable->handlers());
    resumable->resume(*from.wiring, *stops->change);
  }
  if (resumable == nullptr || stops->each == 0) return;
  calendar.pause_each(stops->each, [resumable, &calendar, &timeline, stops, before = stops->from ? stops->from->handled : 0] {
    stops->keep({before + calendar.handled(), calendar.state(), timeline.tasks, resumable->state(), resumable->handlers()});
  });
}

}  // namespace

Simulation run_once(const RunInputs& inputs, Stops* stops) {
  const auto& [graph, machine, design, costs, lists, planned, options] = inputs;
  Simulation simulation;
  const std::vector<CoreType> cores = timeline_cores(graph, machine, design);
  std::optional<TranslatedObserver> delayed;
  const Duration looked =
      (machine.first_poll ? round_ns(first_poll(design, *machine.first_poll)) : Duration{0}) + host_build_time(graph, machine, design);
  if (options.observer != nullptr) delayed.emplace(*options.observer, looked, graph.size());
  RunEvents events(simulation.timeline, delayed ? &*delayed : nullptr, options.record_steps, graph, design.gang);
  events.run_begins(graph.size(), cores);

  Platform& platform = Platform::instance();
  const Platform::Turn turn(platform, options.interrupted);
  const bool activities =
      graph.has_operations() || (graph.devices() > 1 && graph.has_edge_bytes()) || options.bandwidth_solver == BandwidthSolver::kSimGrid;
  Calendar& calendar = platform.calendar();
  calendar.begin_run(options.interrupted);
  calendar.set_run_ahead(activities ? RunAhead::kNever : RunAhead::kWhenAlone);
  const std::unique_ptr<Wiring> wiring = make_wiring({.graph = graph,
                                                      .machine = machine,
                                                      .design = design,
                                                      .costs = costs,
                                                      .durations = planned,
                                                      .lists = lists,
                                                      .seed = options.seed,
                                                      .chance = options.run == 0 ? options.seed : mix(options.seed) + options.run,
                                                      .cores = cores,
                                                      .program = options.program,
                                                      .bandwidth_solver = options.bandwidth_solver,
                                                      .calendar = calendar,
                                                      .events = events});
  begin(*wiring, calendar, simulation.timeline, stops);
  simulation.wall_seconds = platform.run();
  if (stops != nullptr) stops->handled = (stops->from ? stops->from->handled : 0) + calendar.handled();

  if (const std::string failure = wiring->failure(); !failure.empty()) throw RunError("design '" + design.name + "': " + failure);
  tell_events(graph, simulation.timeline, events);
  check_end(graph, machine.constants(), design, simulation.timeline);
  finish(simulation.timeline, machine, design, looked);
  if (stops == nullptr || stops->samples) add_queue_samples(simulation.timeline, design);
  return simulation;
}

void add_queue_samples(Timeline& timeline, const Design& design) {
  if (runtime_of(design).resident() && design.ready_queue != ReadyQueue::kPerWorker) timeline.ready_queue = queue_samples(timeline.tasks);
}

}  // namespace tasktwin::sim
