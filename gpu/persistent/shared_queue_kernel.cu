#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/shared_queue_kernel.hpp"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

namespace {

struct SharedLink {
  const PersistentRun& run;
  const SharedQueue& queue;
  std::uint32_t worker;

  __device__ bool fetch(std::uint32_t, WorkerSlot& slot) const {
    std::uint32_t found = 0;
    std::uint64_t claimed = 0;
    if (lane_id() == 0) {
      const std::uint32_t place = DeviceWord(*queue.head).fetch_add(1, kRelaxed);
      if (run.phases) claimed = global_timer();
      if (place < run.task_count) {
        for (int polls = 1; (found = DeviceWord(queue.places[place]).load(kAcquire)) == 0; ++polls) {
          if (polls % kPollsPerAbortCheck == 0 && aborted(run)) break;
        }
      }
    }
    found = __shfl_sync(~0u, found, 0);
    if (found == 0) return false;
    copy_task(run.tasks[found - 1], slot.task);
    if (lane_id() == 0) slot.dispatched = claimed;
    return true;
  }

  __device__ void publish(const WorkerSlot& slot, std::uint32_t n) const {
    if (slot.task.successor_count > 0) {
      cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
      for (std::uint32_t i = lane_id(); i < slot.task.successor_count; i += 32) {
        const std::uint32_t successor = run.successors[slot.task.first_successor + i];
        if (DeviceWord(run.counters[successor]).fetch_sub(1, kAcqRel) == 1) append(successor);
      }
      __syncwarp();
    }
    if (lane_id() == 0) DeviceWord(run.completions[worker * kLineWords]).store(n + 1, kRelaxed);
  }

  __device__ void append(std::uint32_t task) const {
    const std::uint32_t place = DeviceWord(*queue.tail).fetch_add(1, kRelaxed);
    if (run.phases) run.phases[task].ready = global_timer();
    DeviceWord(queue.places[place]).store(1 + task, kRelease);
  }
};

__global__ void __launch_bounds__(kWorkerThreads, 1) shared_queue(const __grid_constant__ PersistentRun run, const __grid_constant__ SharedQueue queue) {
  extern __shared__ __align__(128) std::byte scratch[];
  pass_gate(run);
  run_worker(run, SharedLink{run, queue, blockIdx.x}, blockIdx.x, scratch);
}

}  // namespace

void launch_shared_queue(const PersistentRun& run, const SharedQueue& queue, cudaStream_t stream) {
  launch_resident(shared_queue, run.workers, kBodySharedBytes, stream, run, queue);
}

}  // namespace tasktwin::gpu
