#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/static_queues_kernel.hpp"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

namespace {

/// A worker runs its own list and waits for each task's counter; whoever finishes decrements its successors' counters.
struct StaticLink {
  const PersistentRun& run;
  const StaticQueues& queues;
  std::uint32_t worker;
  static constexpr bool kReleasesSuccessors = true;

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) const {
    const std::uint32_t position = queues.first[worker] + n;
    if (position >= queues.first[worker + 1]) return false;
    const std::uint64_t begun = run.phases ? global_timer() : 0;
    copy_task(queues.tasks[position], slot.task);
    bool received = true;
    if (lane_id() == 0) {
      slot.dispatched = begun;
      const std::uint32_t task = slot.task.body.task;
      if (slot.task.predecessor_count > 0) received = await_word(run, run.counters[task], 0);
      if (!received) run.waiting_for[worker] = 1 + task;
    }
    return __shfl_sync(~0u, received, 0);
  }

  __device__ void publish(const WorkerSlot& slot, std::uint32_t n) const {
    if (slot.task.successor_count > 0) {
      cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
      for (std::uint32_t i = lane_id(); i < slot.task.successor_count; i += 32) {
        DeviceWord(run.counters[run.successors[slot.task.first_successor + i]]).fetch_sub(1, kRelaxed);
      }
    }
    if (lane_id() == 0) DeviceWord(run.completions[worker * kLineWords]).store(n + 1, kRelaxed);
  }
};

__global__ void __launch_bounds__(kWorkerThreads, 1)
    static_queues(const __grid_constant__ PersistentRun run, const __grid_constant__ StaticQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  pass_gate(run);
  run_worker(run, StaticLink{run, queues, blockIdx.x}, blockIdx.x, scratch);
}

}  // namespace

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream) {
  launch_resident(static_queues, run.workers, kBodySharedBytes, stream, run, queues);
}

}  // namespace tasktwin::gpu
