#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/policies/policies.hpp"
#include "models/run/as_run.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/resumable.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::sim {

/// What one run is made of. All tasks exist, on one machine; what `options` have by TaskId is by those of `graph`.
struct RunInputs {
  const TaskGraph& graph;
  const AsRun& machine;
  const Design& design;
  const BodyCosts& costs;
  const FrozenSchedule& lists;          ///< of a static placement; empty for others
  std::span<const Duration> durations;  ///< planned, by TaskId
  const SimulationOptions& options;
};

/// A run between two of its events.
struct Checkpoint {
  std::uint64_t handled = 0;  ///< events before it
  Calendar::State calendar;
  std::vector<TaskTimes> tasks;  ///< as far as they are certain
  std::unique_ptr<const Resumable::State> wiring;
  std::vector<EventHandler*> handlers;  ///< of the wiring that it is of, which may be gone
};

/// How a run begins in its midst, and what is kept of it. Contract: its wiring is resumable.
struct Stops {
  const Checkpoint* from = nullptr;  ///< null for the beginning
  const Change* change = nullptr;    ///< where `from` is given: by what the inputs differ from those of its run
  std::uint32_t each = 0;            ///< events between those kept; 0 for none kept
  std::function<void(Checkpoint)> keep = {};
  bool samples = true;        ///< of the ready queue; without, add_queue_samples() is left to the caller
  std::uint64_t handled = 0;  ///< out: events of the run in all, those before `from` included
};

Simulation run_once(const RunInputs& inputs, Stops* stops = nullptr);

/// What `timeline` says of the ready queue, where the design has one.
void add_queue_samples(Timeline& timeline, const Design& design);

}  // namespace tasktwin::sim
