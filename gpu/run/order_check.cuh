#pragma once

#include "gpu/bodies/body_context.hpp"
#include "gpu/run/device_task.hpp"

namespace tasktwin::gpu {

/// Counts the predecessors of `task` whose mark in `done` is not yet visible to this body, and the task itself if its spawner's
/// description of it is not; the body's threads call it
/// before they begin, `threads` of them. Plain loads, as a body's own reads are: a missing fence shows as well as a missing wait.
__device__ inline void check_predecessors(const DeviceTask& task, const std::uint32_t* predecessors, const std::uint32_t* done,
                                          std::uint32_t* violations, std::uint32_t threads = kBodyThreads) {
  if (task.body.kernel == kNoKernel && threadIdx.x == 0) atomicAdd(violations, 1u);
  for (std::uint32_t i = threadIdx.x; i < task.edges.predecessor_count; i += threads) {
    if (done[predecessors[task.edges.first_predecessor + i]] != 1) atomicAdd(violations, 1u);
  }
}

}  // namespace tasktwin::gpu
