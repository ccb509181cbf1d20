#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

/// One queue for all workers with a place for every task, so that it never wraps: a claim takes the next place (`head`)
/// and waits until a task stands there; whoever releases a task appends it (`tail`).
struct SharedQueue {
  std::uint32_t* head;
  std::uint32_t* tail;
  std::uint32_t* places;  ///< 1 + TaskId; 0 while empty
};

void launch_shared_queue(const PersistentRun& run, const SharedQueue& queue, cudaStream_t stream);

}  // namespace tasktwin::gpu
