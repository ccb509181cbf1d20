#include "gpu/persistent/launch.cuh"
#include "gpu/persistent/shared_queue_kernel.hpp"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

namespace {

struct SharedLink {
  const PersistentRun& run;
  const SharedQueue& queue;
  std::uint32_t worker;
  static constexpr bool kReleasesSuccessors = true;

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

  /// All counters are decremented before any of the tasks made ready is appended, so that the decrements of a wide task
  /// travel together; so do the appended entries, behind one fence.
  __device__ void publish(const WorkerSlot& slot, std::uint32_t n) const {
    const std::uint32_t count = slot.task.successor_count;
    if (count > 0) cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    for (std::uint32_t base = 0; base < count; base += 32 * kBatch) {
      std::uint32_t ready[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const std::uint32_t edge = base + 32 * i + lane_id();
        ready[i] = kStopTask;
        if (edge >= count) continue;
        const std::uint32_t successor = run.successors[slot.task.first_successor + edge];
        if (DeviceWord(run.counters[successor]).fetch_sub(1, kRelaxed) == 1) ready[i] = successor;
      }
      append(ready);
    }
    if (lane_id() == 0) DeviceWord(run.completions[worker * kLineWords]).store(n + 1, kRelaxed);
  }

 private:
  static constexpr int kBatch = 4;

  __device__ void append(const std::uint32_t (&ready)[kBatch]) const {
    std::uint32_t lanes[kBatch];
    std::uint32_t total = 0;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      lanes[i] = __ballot_sync(~0u, ready[i] != kStopTask);
      total += __popc(lanes[i]);
    }
    if (total == 0) return;
    std::uint32_t place = 0;
    if (lane_id() == 0) place = DeviceWord(*queue.tail).fetch_add(total, kRelaxed);
    place = __shfl_sync(~0u, place, 0);
    // Acquires what the other predecessors released into the counters, and releases it to whoever takes the tasks.
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (ready[i] != kStopTask) {
        if (run.phases) run.phases[ready[i]].ready = global_timer();
        DeviceWord(queue.places[place + __popc(lanes[i] & ((1u << lane_id()) - 1))]).store(1 + ready[i], kRelaxed);
      }
      place += __popc(lanes[i]);
    }
    __syncwarp();
  }
};

__global__ void __launch_bounds__(kWorkerThreads, 1)
    shared_queue(const __grid_constant__ PersistentRun run, const __grid_constant__ SharedQueue queue) {
  extern __shared__ __align__(128) std::byte scratch[];
  pass_gate(run);
  run_worker(run, SharedLink{run, queue, blockIdx.x}, blockIdx.x, scratch);
}

}  // namespace

void launch_shared_queue(const PersistentRun& run, const SharedQueue& queue, cudaStream_t stream) {
  launch_resident(shared_queue, run.workers, kBodySharedBytes, stream, run, queue);
}

}  // namespace tasktwin::gpu
