#pragma once

#include <optional>
#include <string>

#include "models/task_graph.hpp"

namespace tasktwin::gpu {

/// What an executor runs beside tasks of one block that exist from the beginning.
struct TaskSupport {
  bool blocks = false;           ///< tasks of several blocks, whose kernel is one that any number of blocks may run side by side
  bool spawned = false;          ///< tasks that come to be when another ends
  bool numbered_blocks = false;  ///< whether a block is told which of its task's it is, as kernels' blocks are
  bool operations = false;       ///< tasks that are no kernels
};

/// The first task that such an executor does not run and why not; nullopt if it runs all. No executor runs tasks that vary at
/// will or that may not come to be, nor any that need something other than SMs. Predicates are drawn before the run.
std::optional<std::string> why_no_task(const TaskGraph& graph, const TaskSupport& support);

}  // namespace tasktwin::gpu
