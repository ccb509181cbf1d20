#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/dispatch_rounds.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::ControlLoop;
using mechanism::DeviceControl;

namespace {

using namespace std::chrono_literals;

std::string unstamped(const std::string& what) { return what + ", without stamps"; }

RoundParts observe_rounds(Probes& probes, const Design& design) {
  const double lanes = probes.machine().control_cores.lanes;
  RoundParts parts;
  const auto observe = [&](std::string_view what, const TaskGraph& graph) { parts.add(probes.rounds(what, graph, design), lanes); };
  for (const int leaves : {32, 128}) observe("dispatchers with bursts", stars_graph(40, leaves, 1000ns));
  observe("dispatchers with layers", layered_graph({20, 60, 3, 1000ns, 3000ns, 11}));
  observe("dispatchers with wide layers", layered_graph({20, 110, 2, 1000ns, 2000ns, 13}));
  observe("dispatchers with dense layers", layered_graph({12, 90, 40, 3000ns, 6000ns, 12}));
  observe("saturated dispatchers", independent_graph(5000, spin_task(500ns)));
  for (const auto& [weights, mean] : parts.resolved.means())
    probes.keep_sample(&Machine::device_control, &ControlLoop::resolve,
                       fmt::format("rounds that find completions; {} turns, {} rows", weights.pass_on, weights.resolve), mean);
  for (const auto& [weights, mean] : parts.handed.means())
    probes.keep_sample(&Machine::device_control, &ControlLoop::dispatch,
                       fmt::format("rounds that hand over {} x {} tasks", weights.slope, lanes), mean);
  return parts;
}

/// What a round takes that finds and hands over nothing.
Estimate empty_round(const RoundParts& parts) { return mean_or_zero(parts.sweeps) + mean_or_zero(parts.ends); }

/// How often a dispatcher's warp goes over its lanes to look at each of its cores.
int passes_of(const Machine& machine, const Design& design) {
  const int dispatchers = dispatcher_count(design, machine);
  const int cores = (machine.core_count() + dispatchers - 1) / dispatchers;
  return (cores + machine.control_cores.lanes - 1) / machine.control_cores.lanes;
}

/// `parts`: of the dispatchers of `design`. One that has all cores goes over its lanes several times.
void set_polling(Probes& probes, const Design& design, const RoundParts& parts, Calibrated<DeviceControl>& loop) {
  const std::string sweeps = "sweeps of dispatcher warps over their cores, and ends of rounds that hand over nothing";
  const Estimate several = empty_round(parts);
  Design one = design;
  one.dispatchers = 1;
  const int few = passes_of(probes.machine(), design);
  const int most = passes_of(probes.machine(), one);
  Estimate pass = 0;
  if (most > few) {
    RoundParts alone;
    const auto observe = [&](std::string_view what, const TaskGraph& graph) {
      alone.add(probes.rounds(what, graph, one), probes.machine().control_cores.lanes);
    };
    observe("one dispatcher with bursts", stars_graph(40, 128, 1000ns));
    observe("one dispatcher, saturated", independent_graph(3000, spin_task(2us)));
    probes.keep_sample(&Machine::device_control, &ControlLoop::poll_per_core, "sweeps and ends, several dispatchers", several);
    probes.keep_sample(&Machine::device_control, &ControlLoop::poll_per_core, "sweeps and ends, one dispatcher", empty_round(alone));
    constexpr double kLeastPass = 20;  // so that refinement can move it
    const Estimate slope = (empty_round(alone) - several) / (most - few);
    pass = slope > kLeastPass ? slope : Estimate(kLeastPass);
    loop.set(&ControlLoop::poll_per_core, pass,
             unstamped("what the same takes longer of one dispatcher for all cores, by passes of its lanes over them"));
  } else {
    loop.set(&ControlLoop::poll_per_core, 0, "a warp's lanes poll side by side");
  }
  const Estimate poll = several - pass * few;
  loop.set(&ControlLoop::poll, poll > 0 ? poll : Estimate(0), unstamped(most > few ? sweeps + ", less poll_per_core_ns a pass" : sweeps));
}

void set_resolving(const ResolveSteps<Estimate>& steps, Calibrated<DeviceControl>& loop) {
  loop.set({{&ControlLoop::complete, steps.complete}, {&ControlLoop::pass_on, steps.pass_on}, {&ControlLoop::resolve, steps.resolve}},
           unstamped("dispatcher rounds that find completions, by turns and rows of successors, least relative squares"));
}

void set_handing(const RoundParts& parts, Calibrated<DeviceControl>& loop) {
  loop.set(&ControlLoop::claim, mean_or_zero(parts.claims), unstamped("dispatchers taking from the queue"));
  loop.set(&ControlLoop::dispatch, fit_groups(parts.handed).slope,
           unstamped("dispatchers handing over, by 32 tasks, least relative squares"));
}

/// Of rounds with one completion that makes spawned tasks known, what is beyond its own steps.
double measure_spawns(Probes& probes, const Design& design, const ResolveSteps<Estimate>& steps) {
  std::vector<double> spawns;
  for (const int children : {2, 8}) {
    for (const gpu::DispatchRound& one : probes.rounds("dispatchers with spawned tasks", spawning_graph(300, children, 2us), design)) {
      if (one.completions == 1 && one.released == children) spawns.push_back(ns(one.resolve) - steps.complete);
    }
  }
  return mean_or_zero(spawns);
}

}  // namespace

void RoundParts::add(const std::vector<gpu::DispatchRound>& rounds, double lanes) {
  for (const gpu::DispatchRound& round : rounds) {
    sweeps.push_back(ns(round.sweep));
    if (round.serve > Duration{0}) claims.push_back(ns(round.serve));
    if (round.claimed > 0) claims.push_back(ns(round.claim));
    if (round.completions > 0)
      resolved[{.complete = 1, .pass_on = double(round.turns), .resolve = double(round.rows)}].push_back(ns(round.resolve));
    if (round.handed_over > 0) {
      handed[{std::ceil(round.handed_over / lanes)}].push_back(ns(round.hand_over));
    } else {
      ends.push_back(ns(round.hand_over));
    }
  }
}

Calibrated<DeviceControl> calibrate_device_control(Probes& probes, const mechanism::Memory& memory, const mechanism::ResidentCores& cores) {
  const Design design = named_design("central-dispatcher");
  Calibrated<DeviceControl> loop(&Machine::device_control);
  const RoundParts parts = observe_rounds(probes, design);
  set_polling(probes, design, parts, loop);
  const ResolveSteps<Estimate> steps = fit_groups(parts.resolved);
  set_resolving(steps, loop);
  set_handing(parts, loop);
  constexpr double kLeastSpawn = 50;  // so that refinement can move it
  loop.set(&ControlLoop::spawn, std::max(kLeastSpawn, measure_spawns(probes, design, steps)),
           unstamped("dispatcher rounds with one completion that makes 2 or 8 spawned tasks known, less complete_ns"));
  constexpr double kSomeLock = 500;  // likewise
  loop.set(&ControlLoop::locked_queue, kSomeLock, "not measured; assumed: 500");
  loop.assume(&ControlLoop::submit, memory.atomic_latency + memory.read_latency, "memory.atomic_latency_ns + memory.read_latency_ns");
  loop.assume(&ControlLoop::hop, cores.counter_hop, "resident_cores.counter_hop_ns");
  loop.assume_nothing({&ControlLoop::stage}, "not timed apart from the other steps of a round");
  return loop;
}

}  // namespace tasktwin::verify
