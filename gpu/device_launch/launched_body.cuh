#pragma once

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/device_launch/launched_run.hpp"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

/// Shared memory of a block, all of it dynamic: nvlink puts dynamic memory after static memory on a multiple of 16 bytes, whatever its
/// declaration asks for, and copies to a ring that lies across cache lines take twice as long (tasks that read 512 KiB: 7.5 us for 4.6).
/// What bodies may use comes last, so that a block can have less of it.
struct alignas(128) LaunchedShared {
  bool is_last;
  alignas(128) std::byte scratch[kBodySharedBytes];
};

/// Static memory in front of dynamic memory that is to begin on a line.
template <class T>
struct alignas(128) BesideScratch {
  T value;
};

/// Runs one of the blocks of `task`, whose body is `body(descriptor)`; all threads of the block call it. True, on all of them, for the
/// block that ends last: it is to release the successors, and all that the others did is visible to it.
template <class Body>
__device__ __forceinline__ bool run_block(const StreamRun& run, const DeviceTask& task, std::uint32_t block, bool& is_last,
                                          const Body& body) {
  const std::uint64_t started = global_timer();
  if (run.done) check_predecessors(task, run.predecessors, run.done, run.violations, blockDim.x);
  body(task.body);
  __syncthreads();
  if (threadIdx.x == 0) {
    const std::uint32_t id = task.body.task;
    const bool wide = task.blocks > 1;
    if (run.stamped || task.edges.successor_count == 0) {
      const std::uint64_t ended = global_timer();
      if (wide) {
        run.blocks[run.first_block[id] + block] = {started, ended, multiprocessor(), 0};
      } else {
        run.phases[id].started = started;
        run.phases[id].ended = ended;
        run.phases[id].core = multiprocessor();
      }
    }
    is_last = !wide || DeviceWord(run.blocks_ended[id]).fetch_add(1, kAcqRel) + 1 == task.blocks;
    if (is_last && run.done) run.done[id] = 1;
  }
  __syncthreads();
  return is_last;
}

/// Decrements the counters of a task's successors, a lane each, and calls ready(successor) for those that have become ready; what all
/// their predecessors did is visible to the lane then. One whole warp calls it, after the block has synchronised.
template <class Ready>
__device__ __forceinline__ void release_successors(const LaunchedRun& run, const TaskEdges& edges, const Ready& ready) {
  if (edges.successor_count > 0) cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  const std::uint32_t lanes = blockDim.x < 32 ? blockDim.x : 32;
  for (std::uint32_t i = lane_id(); i < edges.successor_count; i += lanes) {
    const std::uint32_t successor = run.successors[edges.first_successor + i] & ~kSpawned;
    if (DeviceWord(run.counters[successor]).fetch_sub(1, kRelaxed) != 1) continue;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    if (run.tasks.stamped) run.tasks.phases[successor].ready = global_timer();
    ready(successor);
  }
  __syncwarp();
}

}  // namespace tasktwin::gpu
