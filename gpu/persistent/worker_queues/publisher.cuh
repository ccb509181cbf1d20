#pragma once

#include "gpu/persistent/queues/backlog.hpp"
#include "gpu/persistent/worker_queues/ending.cuh"
#include "gpu/persistent/worker_queues/worker_queues_kernel.hpp"
#include "gpu/persistent/workers/cohort.cuh"
#include "gpu/persistent/workers/spawn.cuh"
#include "gpu/persistent/workers/successor_row.cuh"
#include "gpu/persistent/workers/worker.cuh"

namespace tasktwin::gpu {

/// What a publishing unit does with a completion where workers push what they have made ready: writes the tasks it spawns,
/// decrements its successors' counters, and pushes those that have become ready. All counters of a batch are decremented before
/// any of its tasks is pushed, so that the decrements of a task with many successors travel together; so do the entries, after one
/// fence. Of a task of several blocks, the last to end does all that. An event whose counter it brings to zero it passes on afterwards, as
/// if it had completed it; of a graph without events nothing asks for one, or runs of all graphs would pay for it by spilled registers.
/// Whole warps call.
template <bool kEvents>
class Publisher {
 public:
  static constexpr std::uint32_t kBatch = SuccessorRow::kSteps;
  using Batch = std::uint32_t[kBatch];  ///< a lane's part; kStopTask for none

  __device__ Publisher(const PersistentRun& run, const WorkerQueues& queues, std::uint32_t worker)
      : run_(run),
        queues_(queues),
        worker_(worker),
        ending_(run, queues.ending, worker),
        backlog_(queues.backlogs.links, queues.backlogs.first[worker], queues.backlogs.last[worker]) {}

  __device__ void prepare(const DeviceTask& task) {
    successors_.prepare(run_, task);
    spawned_ = task.spawned;
    blocks_ = task.blocks;
  }

  /// push(ready) gets the places of a batch and calls push() below.
  template <class Push>
  __device__ void publish(std::uint32_t task, std::uint32_t n, Push&& push) {
    if (blocks_ <= 1 || leave_cohort(run_, task, blocks_)) complete(push);
    if (lane_id() == 0) DeviceWord(run_.completions[worker_ * kLineWords]).store(n + 1, kRelaxed);
  }

  /// Everything that the tasks of `ready` need has been acquired from those who released it into the counters, and is released to those who
  /// acquire what the lane writes from now on.
  __device__ void pass_on(const Batch& ready) const {
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    stamp(ready);
  }

  /// Passes `wanted` on, which have become ready, and pushes them in the order of batch and lane, after what could not be pushed before.
  template <class Queue>
  __device__ void push(const Queue& queue, const Batch& wanted) {
    Batch entries;
    Batch blocks;
    std::uint32_t total = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      blocks[i] = run_.cohorts.begun && wanted[i] != kStopTask ? queues_.tasks[wanted[i]].blocks : 1;
      entries[i] = blocks[i] > 1 ? kStopTask : wanted[i];
      total += __popc(__ballot_sync(kAllLanes, entries[i] != kStopTask));
    }
    if (!backlog_.empty()) push_backlog(queue);
    std::uint32_t first = 0;
    std::uint32_t got = 0;
    if (lane_id() == 0 && total > 0 && backlog_.empty()) got = queue.reserve(total, first);
    pass_on(wanted);  // while the positions are on their way
    got = __shfl_sync(kAllLanes, got, 0);
    first = __shfl_sync(kAllLanes, first, 0);
    Batch ranks;
    std::uint32_t rank = 0;
    std::uint32_t waiting = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      const std::uint32_t lanes = __ballot_sync(kAllLanes, entries[i] != kStopTask);
      ranks[i] = rank + rank_in(lanes);
      if (entries[i] != kStopTask && ranks[i] < got) waiting |= 1u << i;
      rank += __popc(lanes);
    }
    while (waiting != 0) {
#pragma unroll
      for (std::uint32_t i = 0; i < kBatch; ++i) {
        if ((waiting >> i & 1u) != 0 && queue.try_put(first + ranks[i], entries[i], kRelaxed)) waiting &= ~(1u << i);
      }
    }
    __syncwarp();
    if (got < total) keep(entries, ranks, got);
    if (run_.cohorts.begun) push_blocks(queue, wanted, blocks);
  }

  /// Before it waits for a task; true while it has something to push.
  template <class Queue>
  __device__ bool idle(const Queue& queue) {
    if (!backlog_.empty()) push_backlog(queue);
    ending_.idle();
    return !backlog_.empty();
  }

 private:
  template <class Push>
  __device__ void complete(Push&& push) {
    if (spawned_ > 0) {
      successors_.for_each([this](std::uint32_t entry) { make_child(run_.children, entry); });
      __syncwarp();
    }
    ending_.completed(spawned_);
    if (successors_.count() == 0) return;
    release_fence();
    for (std::uint32_t event = 0;; take_up(event)) {
      successors_.for_each_batch([&](const Batch& entries) {
        Batch ready;
        bool any = false;
#pragma unroll
        for (std::uint32_t i = 0; i < kBatch; ++i) {
          ready[i] = entries[i] != kStopTask && release(run_, entries[i]) ? place_of(entries[i]) : kStopTask;
          any = any || ready[i] != kStopTask;
        }
        if constexpr (kEvents) any = set_aside(ready, event);
        if (__any_sync(kAllLanes, any)) push(ready);
      });
      if (!kEvents || event == 0) return;
    }
  }

  /// Takes the events out of `ready` into the list whose first is `event`, 1 + its place. Whether the lane has others left.
  __device__ bool set_aside(Batch& ready, std::uint32_t& event) const {
    bool any = false;
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      const bool is_event = ready[i] != kStopTask && ready[i] >= queues_.first_event;
      for (std::uint32_t lanes = __ballot_sync(kAllLanes, is_event); lanes != 0; lanes &= lanes - 1) {
        const std::uint32_t place = __shfl_sync(kAllLanes, ready[i], __ffs(static_cast<int>(lanes)) - 1);
        if (lane_id() == 0) queues_.next_event[place - queues_.first_event] = event;
        event = 1 + place;
      }
      if (is_event) ready[i] = kStopTask;
      any = any || ready[i] != kStopTask;
    }
    return any;
  }

  /// Makes what waits for the first event of the list the row to be released, and the next one the first. What those who counted it down
  /// have released is acquired, to be released with it.
  __device__ void take_up(std::uint32_t& event) {
    const std::uint32_t place = event - 1;
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    event = __shfl_sync(kAllLanes, lane_id() == 0 ? queues_.next_event[place - queues_.first_event] : 0, 0);
    successors_.prepare(run_, queues_.tasks[place]);
  }

  /// Those for which there was no room, in their order.
  __device__ void keep(const Batch& entries, const Batch& ranks, std::uint32_t pushed) {
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      for (std::uint32_t left = __ballot_sync(kAllLanes, entries[i] != kStopTask && ranks[i] >= pushed); left != 0; left &= left - 1)
        backlog_.append(__shfl_sync(kAllLanes, entries[i], __ffs(static_cast<int>(left)) - 1));
    }
  }

  /// The tasks of several blocks, one after the other: an entry a block.
  template <class Queue>
  __device__ void push_blocks(const Queue& queue, const Batch& wanted, const Batch& blocks) {
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      for (std::uint32_t lanes = __ballot_sync(kAllLanes, blocks[i] > 1); lanes != 0; lanes &= lanes - 1) {
        const int lane = __ffs(static_cast<int>(lanes)) - 1;
        const std::uint32_t entry = __shfl_sync(kAllLanes, wanted[i], lane);
        std::uint32_t left = __shfl_sync(kAllLanes, blocks[i], lane);
        while (left > 0 && backlog_.empty()) {
          const std::uint32_t pushed = push_copies(queue, entry, min(left, 32u));
          left -= pushed;
          if (pushed == 0) break;
        }
        if (left > 0) backlog_.append(entry, left);
      }
    }
  }

  /// Up to 32; returns for how many there was room.
  template <class Queue>
  __device__ std::uint32_t push_copies(const Queue& queue, std::uint32_t entry, std::uint32_t copies) const {
    std::uint32_t first = 0;
    std::uint32_t got = 0;
    if (lane_id() == 0) got = queue.reserve(copies, first);
    got = __shfl_sync(kAllLanes, got, 0);
    first = __shfl_sync(kAllLanes, first, 0);
    for (bool waits = lane_id() < got; waits;) waits = !queue.try_put(first + lane_id(), entry);
    __syncwarp();
    return got;
  }

  /// One at a time: it is the way out of a full queue, not the usual one. The lanes all keep the list.
  template <class Queue>
  __device__ void push_backlog(const Queue& queue) {
    while (!backlog_.empty()) {
      if (push_copies(queue, backlog_.front(), 1) == 0) return;
      backlog_.pushed();
    }
  }

  __device__ void stamp(const Batch& ready) const {
    if (!run_.phases) return;
    const std::uint64_t now = global_timer();
#pragma unroll
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      if (ready[i] != kStopTask) run_.phases[queues_.ids ? queues_.ids[ready[i]] : ready[i]].ready = now;
    }
  }

  const PersistentRun& run_;
  const WorkerQueues& queues_;
  std::uint32_t worker_;
  Ending ending_;
  Backlog backlog_;
  SuccessorRow successors_;
  std::uint32_t spawned_ = 0;
  std::uint32_t blocks_ = 1;
};

}  // namespace tasktwin::gpu
