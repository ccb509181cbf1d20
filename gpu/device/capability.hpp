#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/limits.hpp"

namespace tasktwin::gpu {

/// What a GPU can do, as far as executors depend on it (CUDA C++ Programming Guide, "Compute Capabilities").
struct Capability {
  int major = 0;  ///< of its compute capability
  int minor = 0;
  std::int64_t block_shared_bytes = 0;  ///< the most that a block can have
  CoreLimits multiprocessor = {};       ///< what one can hold at a time
};

/// Shared memory that the task's body works in, where it is more than any GPU leaves it; 0 for the others.
std::int64_t body_shared_bytes(const TaskGraph& graph, TaskId task);

/// Why no executor runs on such a GPU; nullopt if they do.
std::optional<std::string> why_too_old(const Capability& gpu);

/// What `design`, or a task, needs that such a GPU does not have, by name; nullopt if nothing. Known without CUDA.
std::optional<std::string> why_not_capable(const Capability& gpu, const TaskGraph& graph, const Design& design);

}  // namespace tasktwin::gpu
