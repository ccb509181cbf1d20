#pragma once

#include <cstdint>
#include <span>

#include "models/bounds/bounds.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin {

/// What a run was given beside graph, machine and design, as the simulator takes it.
struct RunInputs {
  std::uint64_t seed = 1;
  std::span<const Duration> bodies = {};  ///< by TaskId, below 0 for as the machine says; empty for none
  const HostProgram* program = nullptr;
};

/// As run_bounds, of a run with these inputs.
Bounds bounds_of_run(const TaskGraph& graph, const Machine& machine, const Design& design, const RunInputs& inputs);

/// The same, held against what the run took. Throws InternalError, naming the bound, if one lies above `makespan`.
Bounds checked_bounds(const TaskGraph& graph, const Machine& machine, const Design& design, const RunInputs& inputs, Duration makespan);

}  // namespace tasktwin
