#pragma once

#include <cstddef>
#include <span>

#include "models/graph/task_graph.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// The work of an iteration in the order that several of its program need.
struct NeededIterations {
  TaskGraph graph;
  std::size_t iterations = 1;  ///< that it is right for
};

/// In the order that memory needs in `iteration` or in any of `others`: an allocator may hand memory out again in another way each time,
/// and which of them is run again is not known. Those that launch something else are left out. `own_memory`: nothing is handed out again.
/// Throws InputError where the file says nothing of memory.
NeededIterations needed_by_any(const scenarios::Scenario& iteration, std::span<const scenarios::Scenario> others, bool own_memory);

}  // namespace tasktwin::verify
