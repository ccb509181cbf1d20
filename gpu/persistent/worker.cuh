#pragma once

#include "gpu/bodies/body.cuh"
#include "gpu/mbarrier.cuh"
#include "gpu/memory_order.cuh"
#include "gpu/order_check.cuh"
#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

/// A worker block is a pipeline of three units over a small ring of slots: a warp that fetches tasks, the warps that run
/// bodies, and a warp that publishes completions. A body runs while the next task is fetched and the last one published.
inline constexpr int kFetchWarp = kBodyThreads / 32;
inline constexpr int kPublishWarp = kFetchWarp + 1;
inline constexpr int kWorkerThreads = kBodyThreads + 64;
inline constexpr int kMaxSlots = 16;  // = kMaxMailboxDepth
inline constexpr int kPollsPerAbortCheck = 256;

struct WorkerSlot {
  DeviceTask task;
  std::uint64_t dispatched;
  std::uint64_t received;
  std::uint64_t started;
  std::uint64_t ended;
};

struct WorkerShared {
  WorkerSlot slots[kMaxSlots];
  Mbarrier full[kMaxSlots];
  Mbarrier done[kMaxSlots];
  Mbarrier empty[kMaxSlots];
};

__device__ inline std::uint32_t lane_id() { return threadIdx.x % 32; }

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

/// Spins until `word` reads `wanted` (acquire). False if the run was aborted meanwhile. One lane calls it.
__device__ inline bool await_word(const PersistentRun& run, std::uint32_t& word, std::uint32_t wanted) {
  for (int polls = 1; DeviceWord(word).load(kAcquire) != wanted; ++polls) {
    if (polls % kPollsPerAbortCheck == 0 && aborted(run)) return false;
  }
  return true;
}

/// Copies a task into a slot; the whole warp calls it.
__device__ inline void copy_task(const DeviceTask& from, DeviceTask& to) {
  if (lane_id() < kDeviceTaskBytes / sizeof(uint4)) {
    reinterpret_cast<uint4*>(&to)[lane_id()] = reinterpret_cast<const uint4*>(&from)[lane_id()];
  }
  __syncwarp();
}

__device__ inline void prefetch(const std::uint32_t* word) { asm volatile("prefetch.global.L2 [%0];" ::"l"(word)); }

/// Asks, while the body runs, for what publishing will need and memory traffic may have displaced: the row of successors
/// and, where it is a wide one and worth reading here, their counters. The whole warp calls it.
__device__ inline void prefetch_successors(const PersistentRun& run, const DeviceTask& task) {
  const std::uint32_t* row = run.successors + task.first_successor;
  if (task.successor_count > 32) {
    for (std::uint32_t i = lane_id(); i < task.successor_count; i += 32) prefetch(run.counters + row[i]);
  } else if (lane_id() == 0 && task.successor_count > 0) {
    prefetch(row);
  }
  __syncwarp();
}

/// The slot and phase parity of the n-th task a worker gets.
struct RingPosition {
  std::uint32_t slot;
  std::uint32_t parity;
};
__device__ inline RingPosition ring_position(std::uint32_t n, std::uint32_t depth) { return {n % depth, (n / depth) & 1u}; }

/// Link is how a design connects a worker to the rest; whole warps call both:
///   bool fetch(std::uint32_t n, WorkerSlot&)   the worker's n-th task; false when there is none left or the run is aborted
///   void publish(const WorkerSlot&, n)         makes the completion visible
///   kReleasesSuccessors                        whether publish walks the task's successors
template <class Link>
__device__ void fetch_tasks(const PersistentRun& run, Link& link, WorkerShared& shared) {
  for (std::uint32_t n = 0;; ++n) {
    const RingPosition at = ring_position(n, run.mailbox_depth);
    shared.empty[at.slot].wait(at.parity ^ 1u);
    WorkerSlot& slot = shared.slots[at.slot];
    const bool more = link.fetch(n, slot);
    if (lane_id() == 0) {
      if (!more) slot.task.body.task = kStopTask;
      if (run.phases) slot.received = global_timer();
    }
    shared.full[at.slot].arrive();
    if (!more) return;
    if (Link::kReleasesSuccessors) prefetch_successors(run, slot.task);
  }
}

__device__ inline void run_bodies(const PersistentRun& run, WorkerShared& shared, std::byte* scratch) {
  for (std::uint32_t n = 0;; ++n) {
    const RingPosition at = ring_position(n, run.mailbox_depth);
    WorkerSlot& slot = shared.slots[at.slot];
    shared.full[at.slot].wait(at.parity);
    const bool stop = slot.task.body.task == kStopTask;
    if (!stop) {
      if (run.phases && threadIdx.x == 0) slot.started = global_timer();
      if (run.done) check_predecessors(slot.task, run.predecessors, run.done, run.violations);
      run_body(slot.task.body, run.bodies, scratch);
    }
    body_sync();
    if (run.phases && threadIdx.x == 0) slot.ended = global_timer();
    shared.done[at.slot].arrive();
    if (stop) return;
  }
}

template <class Link>
__device__ void publish_completions(const PersistentRun& run, Link& link, WorkerShared& shared, std::uint32_t worker) {
  std::uint64_t last = 0;
  for (std::uint32_t n = 0;; ++n) {
    const RingPosition at = ring_position(n, run.mailbox_depth);
    shared.done[at.slot].wait(at.parity);
    const WorkerSlot slot = shared.slots[at.slot];
    __syncwarp();
    shared.empty[at.slot].arrive();
    if (slot.task.body.task == kStopTask) break;
    if (run.done && lane_id() == 0) run.done[slot.task.body.task] = 1;
    __syncwarp();
    link.publish(slot, n);
    last = global_timer();
    if (run.phases && lane_id() == 0) {
      PhaseRecord& record = run.phases[slot.task.body.task];
      if (slot.dispatched != 0) record.dispatched = slot.dispatched;
      record.received = slot.received;
      record.started = slot.started;
      record.ended = slot.ended;
      record.published = last;
      record.core = worker;
    }
  }
  if (lane_id() == 0) run.last_published[worker] = last;
}

/// The whole block calls it once it has passed the gate.
template <class Link>
__device__ void run_worker(const PersistentRun& run, Link link, std::uint32_t worker, std::byte* scratch) {
  __shared__ WorkerShared shared;
  if (threadIdx.x == 0) {
    for (std::uint32_t slot = 0; slot < run.mailbox_depth; ++slot) {
      shared.full[slot].init(32);
      shared.done[slot].init(kBodyThreads);
      shared.empty[slot].init(32);
    }
  }
  __syncthreads();
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
