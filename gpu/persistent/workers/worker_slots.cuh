#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/named_barrier.cuh"
#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/workers/block_numbers.cuh"
#include "gpu/persistent/workers/cohort.cuh"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

inline constexpr int kPollsPerAbortCheck = 256;

struct alignas(256) WorkerSlot {
  DeviceTask task;
  std::uint64_t dispatched;
  std::uint64_t received;
  std::uint64_t started;
  std::uint64_t ended;
  std::uint32_t block;  ///< of a task of several, where phases are stamped
};

/// From the fetching unit to the bodies, and from those to the publishing unit.
__device__ inline NamedBarrier slot_full(std::uint32_t slot) { return NamedBarrier(2 + slot); }
__device__ inline NamedBarrier slot_done(std::uint32_t slot) { return NamedBarrier(2 + kMaxSlots + slot); }
inline constexpr std::uint32_t kHandOffThreads = kBodyThreads + 32;

/// In place of a task's kernel: the worker is to end.
inline constexpr std::uint32_t kStopKernel = 0xffffffffu;

/// Whether the host has called the run off.
__device__ inline bool aborted(const PersistentRun& run) { return DeviceWord(run.control->abort).load(kRelaxed) != 0; }

/// Lets no block pass until every block is resident; the last to arrive takes the run's origin.
__device__ inline void pass_gate(const PersistentRun& run) {
  if (threadIdx.x == 0) {
    if (DeviceWord(run.control->arrived).fetch_add(1, kAcqRel) + 1 == run.blocks) {
      run.control->origin = global_timer();
      DeviceWord(run.control->open).store(1, kRelease);
    }
    while (DeviceWord(run.control->open).load(kAcquire) == 0) {
    }
  }
  __syncthreads();
}

/// A place in the ring of a worker's slots, in one register. Contract: the ring is aligned to its own size.
class SlotCursor {
 public:
  __device__ explicit SlotCursor(const WorkerSlot* slots) : address_(shared_address(*slots)) {}

  __device__ WorkerSlot& slot() const { return at_shared_address<WorkerSlot>(address_); }
  __device__ std::uint32_t number() const { return address_ / kSlotBytes % kMaxSlots; }
  __device__ NamedBarrier full() const { return slot_full(number()); }
  __device__ NamedBarrier done() const { return slot_done(number()); }
  __device__ void advance(const PersistentRun& run) {
    address_ = (address_ & ~(kMaxSlots * kSlotBytes - 1)) | ((address_ + kSlotBytes) & run.last_slot * kSlotBytes);
  }

 private:
  static constexpr std::uint32_t kSlotBytes = sizeof(WorkerSlot);

  std::uint32_t address_;
};

template <int kPerCore>
__device__ __forceinline__ void run_bodies(const PersistentRun& run, const WorkerSlot* slots, std::byte* scratch) {
  SlotCursor next(slots);
  for (;;) {
    const SlotCursor at = next;
    next.advance(run);  // now, not between two bodies
    at.full().sync(kHandOffThreads);
    WorkerSlot& slot = at.slot();
    if (slot.task.body.kernel == kStopKernel) return;
    if (run.phases && threadIdx.x == 0) slot.started = global_timer();
    if (run.done) check_predecessors(slot.task, run.predecessors, run.done, run.violations);
    run_worker_body<kPerCore>(slot.task.body, run.bodies, scratch);
    if (run.phases) {
      body_sync();
      if (threadIdx.x == 0) slot.ended = global_timer();
    }
    __syncwarp();
    at.done().arrive(kHandOffThreads);
  }
}

/// What is known of a task when its body has ended. Whole warps call.
__device__ __forceinline__ PhaseRecord* record_body(const PersistentRun& run, const WorkerSlot& slot, std::uint32_t worker) {
  if (!run.phases && !run.done) return nullptr;
  PhaseRecord* record = nullptr;
  if (lane_id() == 0 && run.phases) {
    record = &record_of(run, slot.task, slot.block);
    if (slot.dispatched != 0) record->dispatched = slot.dispatched;
    record->received = slot.received;
    record->started = slot.started;
    record->ended = slot.ended;
    record->core = worker;
  }
  if (lane_id() == 0 && run.done && slot.task.blocks <= 1) run.done[slot.task.body.task] = 1;  // else leave_cohort() does
  __syncwarp();
  return record;
}

/// The task in the slot is the bodies' from here on. Whole warps call.
__device__ __forceinline__ void hand_to_bodies(const PersistentRun& run, const SlotCursor& at) {
  WorkerSlot& slot = at.slot();
  if (run.phases && lane_id() == 0) {
    slot.received = global_timer();
    if (slot.task.body.kernel != kStopKernel && slot.task.blocks > 1) slot.block = join_cohort(run, slot.task);
  }
  __syncwarp();
  at.full().arrive(kHandOffThreads);
}

/// The run as a kernel knows it that neither stamps nor checks: what asks whether it should costs nothing there.
template <bool kWatched>
__device__ __forceinline__ PersistentRun as_watched(const PersistentRun& run) {
  PersistentRun known = run;
  if constexpr (!kWatched) {
    known.phases = nullptr;
    known.done = nullptr;
    known.time_rounds = false;
  }
  return known;
}

}  // namespace tasktwin::gpu
