#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

/// The workers' lists, one behind the other; counters and successors stand by place in them.
struct StaticQueues {
  const std::uint32_t* first;  ///< per worker, and one more: place of its first task
  const DeviceTask* tasks;     ///< by place
  /// Places of awaited predecessors, in rows that DeviceTask::first_awaited and TaskEdges::head begin; null where workers are told by
  /// counters.
  const std::uint32_t* awaited;
};

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream);

}  // namespace tasktwin::gpu
