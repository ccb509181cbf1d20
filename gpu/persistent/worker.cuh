#pragma once

#include "gpu/bodies/body.cuh"
#include "gpu/mbarrier.cuh"
#include "gpu/memory_order.cuh"
#include "gpu/named_barrier.cuh"
#include "gpu/order_check.cuh"
#include "gpu/persistent/cohort.cuh"
#include "gpu/persistent/persistent_run.hpp"
#include "gpu/warp.cuh"

namespace tasktwin::gpu {

/// A worker block is a pipeline of three units over a small ring of slots: a warp that fetches tasks, the warps that run
/// bodies, and a warp that publishes completions. A body runs while the next task is fetched and the last one published.
inline constexpr int kFetchWarp = kBodyThreads / 32;
inline constexpr int kPublishWarp = kFetchWarp + 1;
inline constexpr int kWorkerThreads = kBodyThreads + 64;
inline constexpr int kPollsPerAbortCheck = 256;

/// What the hardware's named barriers allow: of 16 two a slot, one for all threads and one for those of the body. A deeper
/// mailbox keeps the rest of its tasks where they come from.
inline constexpr std::uint32_t kMaxSlots = 7;

struct WorkerSlot {
  DeviceTask task;
  std::uint64_t dispatched;
  std::uint64_t received;
  std::uint64_t started;
  std::uint64_t ended;
  std::uint32_t block;  ///< of a task of several, where phases are stamped
};

struct WorkerShared {
  WorkerSlot slots[kMaxSlots];
  Mbarrier full[kMaxSlots];  ///< told to the publishing unit
  Mbarrier empty[kMaxSlots];
};

/// From the fetching unit to the bodies, and from those to the publishing unit.
__device__ inline NamedBarrier slot_full(std::uint32_t slot) { return NamedBarrier(2 + slot); }
__device__ inline NamedBarrier slot_done(std::uint32_t slot) { return NamedBarrier(2 + kMaxSlots + slot); }
inline constexpr std::uint32_t kHandOffThreads = kBodyThreads + 32;

__device__ inline std::uint32_t slots_of(const PersistentRun& run) { return min(run.mailbox_depth, kMaxSlots); }

/// In place of a task's kernel: the worker is to end.
inline constexpr std::uint32_t kStopKernel = 0xffffffffu;

/// Whether the host has called the run off.
__device__ inline bool aborted(const PersistentRun& run) { return DeviceWord(run.control->abort).load(kRelaxed) != 0; }

/// Lets no block pass until every block is resident; the last to arrive takes the run's origin.
__device__ inline void pass_gate(const PersistentRun& run) {
  if (threadIdx.x == 0) {
    if (DeviceWord(run.control->arrived).fetch_add(1, kAcqRel) + 1 == gridDim.x) {
      run.control->origin = global_timer();
      DeviceWord(run.control->open).store(1, kRelease);
    }
    while (DeviceWord(run.control->open).load(kAcquire) == 0) {
    }
  }
  __syncthreads();
}

/// Where the n-th task of a worker lies in the ring, and the parity of the barriers' phase then.
struct RingCursor {
  std::uint32_t slot = 0;
  std::uint32_t parity = 0;

  __device__ void advance(std::uint32_t slots) {
    if (++slot < slots) return;
    slot = 0;
    parity ^= 1u;
  }
};

/// Link is how a design connects a worker to the rest; each unit has a copy of its own, and whole warps call
///   bool fetch(n, WorkerSlot&)       the worker's n-th task into the slot; false when there is none left or the run is aborted
///   void prepare(const DeviceTask&)  reads, while the body runs, what publish will need
///   void publish(task, n)            makes the completion of the n-th task visible
///   bool idle()                      if there is one: what is to be done before waiting for a task; true if that is to be called again
template <class Link>
__device__ void fetch_tasks(const PersistentRun& run, Link& link, WorkerShared& shared) {
  RingCursor at;
  for (std::uint32_t n = 0;; ++n, at.advance(slots_of(run))) {
    shared.empty[at.slot].wait(at.parity ^ 1u);
    WorkerSlot& slot = shared.slots[at.slot];
    const bool more = link.fetch(n, slot);
    if (lane_id() == 0) {
      if (!more) slot.task.body.kernel = kStopKernel;
      if (run.phases) slot.received = global_timer();
      if (run.phases && more && slot.task.blocks > 1) slot.block = join_cohort(run, slot.task);
    }
    __syncwarp();
    slot_full(at.slot).arrive(kHandOffThreads);
    if (lane_id() == 0) shared.full[at.slot].arrive();
    if (!more) return;
  }
}

__device__ inline void run_bodies(const PersistentRun& run, WorkerShared& shared, std::byte* scratch) {
  for (std::uint32_t at = 0;; at = at + 1 < slots_of(run) ? at + 1 : 0) {
    slot_full(at).sync(kHandOffThreads);
    WorkerSlot& slot = shared.slots[at];
    if (slot.task.body.kernel == kStopKernel) return;
    if (run.phases && threadIdx.x == 0) slot.started = global_timer();
    if (run.done) check_predecessors(slot.task, run.predecessors, run.done, run.violations);
    run_body(slot.task.body, run.bodies, scratch);
    if (run.phases) {
      body_sync();
      if (threadIdx.x == 0) slot.ended = global_timer();
    }
    __syncwarp();
    slot_done(at).arrive(kHandOffThreads);
  }
}

__device__ inline void record_body(PhaseRecord& record, const WorkerSlot& slot, std::uint32_t worker) {
  if (slot.dispatched != 0) record.dispatched = slot.dispatched;
  record.received = slot.received;
  record.started = slot.started;
  record.ended = slot.ended;
  record.core = worker;
}

template <class Link>
__device__ void await_task(Mbarrier& full, std::uint32_t parity, Link& link) {
  if constexpr (requires { link.idle(); }) {
    while (!__all_sync(kAllLanes, full.is_over(parity))) {
      if (!link.idle()) break;
    }
  }
  full.wait(parity);
}

template <class Link>
__device__ void publish_completions(const PersistentRun& run, Link& link, WorkerShared& shared, std::uint32_t worker) {
  RingCursor at;
  std::uint64_t last = 0;
  for (std::uint32_t n = 0;; ++n, at.advance(slots_of(run))) {
    WorkerSlot& slot = shared.slots[at.slot];
    await_task(shared.full[at.slot], at.parity, link);
    if (slot.task.body.kernel == kStopKernel) break;
    const std::uint32_t task = slot.task.body.task;
    link.prepare(slot.task);
    slot_done(at.slot).sync(kHandOffThreads);
    PhaseRecord* record = nullptr;
    if ((run.phases || run.done) && lane_id() == 0) {
      if (run.phases) {
        record = &record_of(run, slot.task, slot.block);
        record_body(*record, slot, worker);
      }
      if (run.done && slot.task.blocks <= 1) run.done[task] = 1;  // else leave_cohort() does
    }
    __syncwarp();
    shared.empty[at.slot].arrive_if(lane_id() == 0);
    link.publish(task, n);
    last = global_timer();
    if (record) record->published = last;
  }
  if (lane_id() == 0) run.last_published[worker] = last;
}

/// The run as a kernel knows it that neither stamps nor checks: what asks whether it should costs nothing there.
template <bool kWatched>
__device__ __forceinline__ PersistentRun as_watched(const PersistentRun& run) {
  PersistentRun known = run;
  if constexpr (!kWatched) {
    known.phases = nullptr;
    known.done = nullptr;
  }
  return known;
}

/// The whole block calls it; nothing runs before all blocks of the grid are there.
template <class Link>
__device__ void run_worker(const PersistentRun& run, Link link, std::uint32_t worker, std::byte* scratch) {
  __shared__ WorkerShared shared;
  if (threadIdx.x < slots_of(run)) {
    shared.full[threadIdx.x].init(1);
    shared.empty[threadIdx.x].init(1);
  }
  pass_gate(run);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp == kFetchWarp) {
    fetch_tasks(run, link, shared);
  } else if (warp == kPublishWarp) {
    publish_completions(run, link, shared, worker);
  } else {
    run_bodies(run, shared, scratch);
  }
}

}  // namespace tasktwin::gpu
