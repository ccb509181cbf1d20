#pragma once

#include <cstdint>
#include <span>

#include "models/policies/policies.hpp"
#include "models/program/host_program.hpp"
#include "models/run/as_run.hpp"
#include "models/run/timeline.hpp"
#include "sim/engine/bandwidth_solver.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

class BodyCosts;

/// What a wiring's parts are built from.
struct WiringInputs {
  const TaskGraph& graph;
  const AsRun& machine;
  const Design& design;
  const BodyCosts& costs;
  std::span<const Duration> durations;  ///< expected, by TaskId
  const FrozenSchedule& lists;          ///< of a static placement; empty for others
  std::uint64_t seed;                   ///< of what is drawn before the run: random orders
  std::uint64_t chance;                 ///< seed of what is drawn as it goes
  std::span<const CoreType> cores;      ///< by CoreId: the cores, or streams, that can take tasks
  const HostProgram* program;           ///< SimulationOptions::program
  BandwidthSolver bandwidth_solver;
  Calendar& calendar;
  RunEvents& events;
};

}  // namespace tasktwin::sim
