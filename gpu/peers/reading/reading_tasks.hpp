#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

/// Bytes that a task's body reads from another device's memory before it does its own work.
struct PeerRead {
  const std::byte* from;
  std::uint64_t bytes;
};

/// Of all tasks; pointers are to device memory.
struct PeerReadRows {
  const std::uint32_t* first;  ///< by TaskId, and one more: where its reads begin
  const PeerRead* reads;
};

/// Call once on each device.
void prepare_reading_tasks();

/// launch_task() of a task that reads: its blocks share the bytes out among them. Contract: its kernel runs in any block. Errors are those
/// of cudaGetLastError, but RunError for blocks that ask for more than threads and shared memory.
void launch_reading_task(const StreamRun& run, const PeerReadRows& rows, const TaskLaunch& launch, cudaStream_t stream);

/// The same as a node of `graph`, after the nodes `after`, on the device that is current. Throws RunError.
cudaGraphNode_t add_reading_node(cudaGraph_t graph, const StreamRun& run, const PeerReadRows& rows, const TaskLaunch& launch,
                                 std::span<const cudaGraphNode_t> after);

}  // namespace tasktwin::gpu
