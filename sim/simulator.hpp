#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"
#include "sim/engine/bandwidth_solver.hpp"
#include "sim/engine/run_observer.hpp"

namespace tasktwin::sim {

/// What a user may give as SimulationOptions::host_pace.
inline constexpr double kLeastHostPace = 0.001;
inline constexpr double kMostHostPace = 1000;

struct SimulationOptions {
  std::uint64_t seed = 1;     ///< of task times, predicates and random orders
  std::uint64_t run = 0;      ///< of those of that seed, which differ by chance alone: hops that vary, victims, when waiting cores look
  double host_pace = 1;       ///< how many times as long the host's code takes as the machine says (host_slowdown)
  bool record_steps = false;  ///< fill Timeline::steps
  BandwidthSolver bandwidth_solver = BandwidthSolver::kVirtualTime;
  const Timeline* replayed = nullptr;  ///< what placement `replay` follows, by TaskId
  /// What kernels' bodies last in place of what the machine says, by TaskId; below 0 for as it says. Empty for none.
  std::span<const Duration> bodies = {};
  /// What launched the graph's tasks where it was captured: stream_wait `program` makes its calls again, other designs of streams spend its
  /// own time and its launches' before theirs. Null where nothing is known of that.
  const HostProgram* program = nullptr;
  /// Receives the events of the run, by the TaskIds of the graph; may be null. It receives steps whether they are recorded or not.
  RunObserver* observer = nullptr;
  /// Asked several times a second while the run continues or waits for another thread's; true ends it with RunError. Empty for never.
  std::function<bool()> interrupted = {};
};

struct Simulation {
  Timeline timeline;
  double wall_seconds = 0;  ///< of the run loop alone
};

/// Predicts how `graph` runs on `machine` under `design`. Same arguments, same bytes out.
/// Throws InputError if the design contradicts itself or has no wiring, or a task needs a core the machine lacks; RunError, with the
/// cycle of waits, if the run would come to a standstill; InternalError in place of a timeline that contradicts its graph or itself
/// (sim/run_check.hpp). May be called by several threads; their runs take turns, since a process can have only one engine.
Simulation simulate(const TaskGraph& graph, const Machine& machine, const Design& design, const SimulationOptions& options = {});

}  // namespace tasktwin::sim
