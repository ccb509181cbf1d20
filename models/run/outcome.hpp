#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/graph_copy.hpp"

namespace tasktwin {

/// What chance decides about the tasks of one run, the same for every design.
struct Outcome {
  std::vector<bool> exists;  ///< by TaskId: the task exists: it is not spawned, or its spawner exists and holds
  std::vector<bool> holds;   ///< by TaskId: its predicate holds, so that its body runs
};

/// Draws each predicate from `seed` and the task alone.
Outcome draw_outcome(const TaskGraph& graph, std::uint64_t seed);

/// The tasks of `graph` that exist. Those that wait for one that does not exist do not wait.
GraphPart existing_part(const TaskGraph& graph, const Outcome& outcome);

}  // namespace tasktwin
