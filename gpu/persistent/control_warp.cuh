#pragma once

#include "gpu/persistent/worker_slots.cuh"

namespace tasktwin::gpu {

/// A worker block of two units: one warp that fetches tasks and publishes completions, and the warps that run bodies. One warp,
/// because on an H200 a release takes 0.26 us instead of 0.16 while any other warp of the block has a load under way; so nobody
/// polls beside it. A body runs while the next task is fetched, if that is known to be there, and while the last one is published.
inline constexpr int kControlWarp = kBodyThreads / 32;
inline constexpr int kControlledThreads = kBodyThreads + 32;

/// When the body under way is about to end, and a look for the next task would delay its publication.
class LookOut {
 public:
  /// A body expected to take so long begins now.
  __device__ void begin(std::uint32_t expected_ns) {
    end_ = expected_ns > kLookNs ? global_timer() + (expected_ns - kLookNs) : 0;
    looks_ = 0;
  }

  __device__ bool has_time() const { return end_ != 0 && global_timer() < end_; }

  /// One more look has found nothing; true if it is time to ask whether the run has been called off.
  __device__ bool looked() { return ++looks_ % kPollsPerAbortCheck == 0; }

 private:
  static constexpr std::uint32_t kLookNs = 300;  ///< what a look takes, and a step of the timer

  std::uint64_t end_ = 0;
  std::uint32_t looks_ = 0;
};

/// Whether the next task stands in its slot while a body runs: at once if it is known to be there, else if a look finds it in time.
template <class Link>
__device__ __forceinline__ bool try_next(const PersistentRun& run, Link& link, WorkerSlot& slot, LookOut& look_out) {
  while (!link.try_fetch(slot, look_out.has_time())) {
    if (!look_out.has_time() || (look_out.looked() && __any_sync(kAllLanes, aborted(run)))) return false;
  }
  return true;
}

/// Link is how a design connects a worker to the rest. Whole warps call
///   bool fetch(WorkerSlot&)                the next task into the slot, prepared for publication; waits for it. False when there is
///                                          none left or the run is aborted
///   bool try_fetch(WorkerSlot&, may_look)  the next task into the slot if it is known to be there, or found there at one look;
///                                          without one it does not wait for memory. After false the next call has the same slot
///   void prepare(const DeviceTask&)        reads, while the body runs, what publish will need
///   void publish(task, n)                  makes the completion of the n-th task visible
template <class Link>
__device__ __forceinline__ void control_bodies(const PersistentRun& run, Link& link, const WorkerSlot* slots, std::uint32_t worker) {
  SlotCursor next(slots);    // of the next task to fetch
  SlotCursor oldest(slots);  // of the oldest not published
  std::uint32_t under_way = 0;
  std::uint64_t last = 0;
  LookOut look_out;
  for (std::uint32_t n = 0;; ++n) {
    if (under_way == 0) {
      last = global_timer();
      const bool more = link.fetch(next.slot());
      if (!more && lane_id() == 0) next.slot().task.body.kernel = kStopKernel;
      hand_to_bodies(run, next);
      if (!more) break;
      next.advance(run);
      under_way = 1;
      look_out.begin(oldest.slot().task.expected_ns);
    }
    while (under_way <= run.last_slot && try_next(run, link, next.slot(), look_out)) {
      hand_to_bodies(run, next);
      next.advance(run);
      ++under_way;
    }

    const std::uint32_t task = oldest.slot().task.body.task;
    oldest.done().sync(kHandOffThreads);
    PhaseRecord* const record = record_body(run, oldest.slot(), worker);
    link.publish(task, n);
    if (record) record->published = global_timer();
    oldest.advance(run);
    --under_way;
    if (under_way > 0) {
      const DeviceTask& running = oldest.slot().task;
      link.prepare(running);
      look_out.begin(running.expected_ns);
    }
  }
  if (lane_id() == 0) run.last_published[worker] = last;
}

/// The whole block, of kControlledThreads, calls it; nothing runs before all blocks of the grid are there.
template <class Link>
__device__ __forceinline__ void run_controlled(const PersistentRun& run, Link link, std::uint32_t worker, std::byte* scratch) {
  __shared__ alignas(kMaxSlots * sizeof(WorkerSlot)) WorkerSlot slots[kMaxSlots];
  pass_gate(run);
  if (threadIdx.x / 32 == kControlWarp) {
    control_bodies(run, link, slots, worker);
  } else {
    run_bodies(run, slots, scratch);
  }
}

}  // namespace tasktwin::gpu
