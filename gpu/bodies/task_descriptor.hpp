#pragma once

#include <cstdint>
#include <vector>

#include "models/base/ids.hpp"

namespace tasktwin {
class TaskGraph;
}

namespace tasktwin {
class TaskGraph;
}

namespace tasktwin::gpu {

/// All that a body needs to know of its task, in one aligned 64-byte piece of memory. Of one of a scenario's own kernels what follows
/// `kernel` is 32-bit words: how many blocks the task has, and its arguments (OwnKernels::arguments).
struct alignas(64) TaskDescriptor {
  std::uint32_t task;           ///< index(TaskId)
  std::uint32_t kernel;         ///< Kernel
  std::uint64_t spin_ns;        ///< Kernel::kSpin, with its prologue; the mean where the task has a sigma
  std::int32_t args[4];         ///< models/graph/kernel.hpp
  std::uint64_t flops;          ///< Kernel::kFma
  std::uint64_t bytes;          ///< Kernel::kStream
  std::uint64_t stream_offset;  ///< Kernel::kStream: bytes read by the stream tasks of lower id, each rounded up to 512
  std::uint64_t stream_stride;  ///< Kernel::kStream: from one block's bytes to the next one's; 0 for a task of one block
};
static_assert(sizeof(TaskDescriptor) == 64);

/// By TaskId. Stream tasks read one after the other through the stream buffer, so no region recurs before the whole
/// buffer has been read (in order of id).
std::vector<TaskDescriptor> make_descriptors(const TaskGraph& graph);

/// Of each block of tasks that have several, one after the other, where some kernel's blocks differ in their arguments
/// (block_arguments); else empty.
std::vector<TaskDescriptor> make_block_descriptors(const TaskGraph& graph);

/// That of make_descriptors for one task, in time proportional to its id: for a whole graph take make_descriptors.
TaskDescriptor make_descriptor(const TaskGraph& graph, TaskId id);

}  // namespace tasktwin::gpu
