#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

/// Frozen lists, one behind the other; worker w runs positions first[w] to first[w + 1] - 1.
struct StaticQueues {
  const std::uint32_t* first;
  const DeviceTask* tasks;  ///< by position
};

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream);

}  // namespace tasktwin::gpu
