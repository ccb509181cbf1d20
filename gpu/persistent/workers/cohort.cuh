#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// Which of the task's blocks this is, in the order in which cores fetch them.
__device__ inline std::uint32_t join_cohort(const PersistentRun& run, const DeviceTask& task) {
  return DeviceWord(run.cohorts.begun[task.body.task]).fetch_add(1, kRelaxed);
}

/// Where a core notes the phases of a task, or of the block of it that it runs.
__device__ inline PhaseRecord& record_of(const PersistentRun& run, const DeviceTask& task, std::uint32_t block) {
  return task.blocks > 1 ? run.cohorts.records[task.first_block + block] : run.phases[task.body.task];
}

/// A block of `task`, one of `blocks`, has ended. True for the last to end, which has then acquired what all of them have done, and
/// is to release the task's successors. Whole warps call.
__device__ inline bool leave_cohort(const PersistentRun& run, std::uint32_t task, std::uint32_t blocks) {
  release_fence();
  std::uint32_t before = 0;
  if (lane_id() == 0) before = DeviceWord(run.cohorts.ended[task]).fetch_add(1, kRelaxed);
  if (__shfl_sync(kAllLanes, before, 0) + 1 != blocks) return false;
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  if (run.done && lane_id() == 0) run.done[task] = 1;
  __syncwarp();
  return true;
}

}  // namespace tasktwin::gpu
