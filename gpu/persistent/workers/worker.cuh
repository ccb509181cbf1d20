#pragma once

#include "gpu/cuda/mbarrier.cuh"
#include "gpu/persistent/workers/worker_slots.cuh"
#include "models/rules/worker_block.hpp"

namespace tasktwin::gpu {

/// A worker block is a pipeline of three units over a small ring of slots: a warp that fetches tasks, the warps that run
/// bodies, and a warp that publishes completions. A body runs while the next task is fetched and the last one published.
inline constexpr int kFetchWarp = kBodyThreads / 32;
inline constexpr int kPublishWarp = kFetchWarp + 1;
inline constexpr int kWorkerThreads = kBodyThreads + 32 * rules::kFurtherWarps;

struct WorkerShared {
  alignas(kMaxSlots * sizeof(WorkerSlot)) WorkerSlot slots[kMaxSlots];
  Mbarrier full[kMaxSlots];  ///< told to the publishing unit
  Mbarrier empty[kMaxSlots];
};

/// Link is how a design connects a worker to the rest; each unit has a copy of its own, and whole warps call
///   bool fetch(n, WorkerSlot&)       the worker's n-th task into the slot; false when there is none left or the run is aborted
///   void prepare(const DeviceTask&)  reads, while the body runs, what publish will need
///   void publish(task, n)            makes the completion of the n-th task visible
///   bool idle()                      if there is one: what is to be done before waiting for a task; true if that is to be called again
template <class Link>
__device__ void fetch_tasks(const PersistentRun& run, Link& link, WorkerShared& shared) {
  SlotCursor at(shared.slots);
  std::uint32_t parity = 1;
  for (std::uint32_t n = 0;; ++n) {
    shared.empty[at.number()].wait(parity);
    WorkerSlot& slot = at.slot();
    const bool more = link.fetch(n, slot);
    if (!more && lane_id() == 0) slot.task.body.kernel = kStopKernel;
    hand_to_bodies(run, at);
    if (lane_id() == 0) shared.full[at.number()].arrive();
    if (!more) return;
    at.advance(run);
    if (at.number() == 0) parity ^= 1u;
  }
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
  SlotCursor at(shared.slots);
  std::uint32_t parity = 0;
  std::uint64_t last = 0;
  for (std::uint32_t n = 0;; ++n) {
    WorkerSlot& slot = at.slot();
    await_task(shared.full[at.number()], parity, link);
    if (slot.task.body.kernel == kStopKernel) break;
    const std::uint32_t task = slot.task.body.task;
    link.prepare(slot.task);
    at.done().sync(kHandOffThreads);
    PhaseRecord* const record = record_body(run, slot, worker);
    shared.empty[at.number()].arrive_if(lane_id() == 0);
    link.publish(task, n);
    last = global_timer();
    if (record) record->published = last;
    at.advance(run);
    if (at.number() == 0) parity ^= 1u;
  }
  if (lane_id() == 0) run.last_published[worker] = last;
}

/// The whole block calls it; nothing runs before all blocks of the grid are there.
template <int kPerCore = 1, class Link>
__device__ void run_worker(const PersistentRun& run, Link link, std::uint32_t worker, std::byte* scratch) {
  __shared__ WorkerShared shared;
  if (threadIdx.x <= run.last_slot) {
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
    run_bodies<kPerCore>(run, shared.slots, scratch);
  }
}

}  // namespace tasktwin::gpu
