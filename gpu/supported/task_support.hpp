#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Which of the blocks that tasks state an executor launches.
enum class Footprints : std::uint8_t {
  kNone,   ///< none: its workers' blocks are all alike
  kAll,    ///< each task its own
  kAlike,  ///< all tasks the same, without clusters
  kPlain,  ///< each task its own, without carve-outs and clusters
};

/// How an executor runs a scenario's own kernels.
enum class OwnBodies {
  kNone,
  kLaunched,  ///< each block of a task as one of a kernel with the threads and the shared memory that the scenario states
  kResident,  ///< linked into workers that stay on the multiprocessors
};

/// What an executor runs in addition to tasks of one block that exist from the beginning.
struct TaskSupport {
  bool blocks = false;           ///< tasks of several blocks, whose kernel is one that any number of blocks may run side by side
  bool spawned = false;          ///< tasks that are spawned when another ends
  bool numbered_blocks = false;  ///< whether a block is told which of its task's it is, as kernels' blocks are
  bool operations = false;       ///< tasks that are no kernels
  bool peer_bytes = false;       ///< bytes on edges, carried from device to device, of tasks whose bodies run in any block
  Footprints footprints = Footprints::kNone;
  OwnBodies own = OwnBodies::kNone;
};

/// Why executors of that kind do not run tasks of the kernel, nullopt if they do.
std::optional<std::string> why_no_own(const OwnKernel& kernel, OwnBodies support);

/// The first task that such an executor does not run and why not; nullopt if it runs all. No executor runs tasks that vary at
/// will or that may not exist, nor any that need something other than SMs. Predicates are drawn before the run.
std::optional<std::string> why_no_task(const TaskGraph& graph, const TaskSupport& support);

}  // namespace tasktwin::gpu
