#pragma once

#include "gpu/cuda/shared_word.cuh"
#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"
#include "gpu/persistent/queues/ready_orders.cuh"

namespace tasktwin::gpu {

/// A worker's place among the completion counts: those that one dispatcher looks at are neighbours.
__device__ inline std::uint32_t completion_word(std::uint32_t worker, std::uint32_t dispatchers) {
  return worker % dispatchers * kMostWorkers + worker / dispatchers;
}

/// What the dispatcher's warps share, in shared memory.
struct alignas(16) DispatcherState {
  ReadyState ready[kMostDispatchers];  ///< by home
  std::uint32_t completed;             ///< tasks whose completion has been resolved
  std::uint32_t known;                 ///< tasks that exist
  std::uint32_t handed;                ///< blocks handed over; kept where the fill rule asks
  std::uint32_t idle_cores;            ///< with nothing outstanding
  std::uint32_t staged[kMostDispatchers][kStaged];
};

/// How many tasks have been completed, of those that exist. Whole warps call, unless it says that a lane does for itself.
template <bool kGrows>
class TaskCount {
 public:
  __device__ explicit TaskCount(DispatcherState& state) : state_(state) {}

  /// Tasks whose completion the lane takes in.
  __device__ __forceinline__ void completed(std::uint32_t tasks) { uncounted_ += tasks; }

  /// Asked by a warp that has nothing to do; that is early enough to count what the warp has taken in. Where tasks are spawned, those
  /// completed are read first: a warp that counts a task as completed has counted before what it spawned.
  __device__ __forceinline__ bool all_completed() {
    const std::uint32_t counted = __reduce_add_sync(kAllLanes, uncounted_);
    if (lane_id() == 0 && counted > 0) BlockWord(state_.completed).fetch_add(counted, kGrows ? kRelease : kRelaxed);
    uncounted_ = 0;
    __syncwarp();
    if constexpr (kGrows) {
      const std::uint32_t completed = BlockWord(state_.completed).load(kAcquire);
      return __all_sync(kAllLanes, completed == BlockWord(state_.known).load(kRelaxed));
    }
    const std::uint32_t count = lane_id() < 2 ? BlockWord(lane_id() == 0 ? state_.completed : state_.known).load(kRelaxed) : 0;
    return __shfl_sync(kAllLanes, count, 0) == __shfl_sync(kAllLanes, count, 1);
  }

 private:
  DispatcherState& state_;
  std::uint32_t uncounted_ = 0;  ///< taken in by this lane, and not yet in the block's count
};

/// The dependency counters of a graph, by place: in shared memory four to a word, or one to a word in global memory.
class Counters {
 public:
  Counters() = default;
  __device__ Counters(std::uint32_t* words, std::uint32_t tasks, bool bytes)
      : words_(words), bytes_(bytes), spare_(bytes ? min(lane_id(), (tasks - 1) / 4) : 0) {}

  /// Decrements up to kHeadSuccessors of them side by side, relaxed; bit i of the result: the i-th has become zero.
  __device__ std::uint32_t decrement(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t count) const {
    std::uint32_t before[kHeadSuccessors];
    std::uint32_t zero = 0;
    if (bytes_) {
#pragma unroll
      for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) {
        before[i] = word(i < count ? places[i] / 4 : spare_).fetch_add(i < count ? 0u - one(places[i]) : 0);
      }
#pragma unroll
      for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) zero |= (i < count && byte(before[i], places[i]) == 1 ? 1u : 0u) << i;
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) {
        if (i < count && BlockWord(words_[places[i]]).fetch_sub(1, kRelaxed) == 1) zero |= 1u << i;
      }
    }
    return zero;
  }

  /// Whether that one has become zero.
  __device__ bool decrement(std::uint32_t place) const {
    if (!bytes_) return BlockWord(words_[place]).fetch_sub(1, kRelaxed) == 1;
    return byte(word(place / 4).fetch_add(0u - one(place)), place) == 1;
  }

  /// Adds to one that is in a word of its own, relaxed. Whether it has become zero.
  __device__ bool add_to(std::uint32_t place, std::uint32_t value) const {
    return BlockWord(words_[place]).fetch_add(value, kRelaxed) + value == 0;
  }

  __device__ std::uint32_t operator[](std::uint32_t place) const { return bytes_ ? byte(words_[place / 4], place) : words_[place]; }

 private:
  __device__ static std::uint32_t one(std::uint32_t place) { return 1u << place % 4 * 8; }
  __device__ static std::uint32_t byte(std::uint32_t word, std::uint32_t place) { return word >> place % 4 * 8 & 0xffu; }

  __device__ SharedWord word(std::uint32_t i) const { return SharedWord(static_cast<std::uint32_t>(__cvta_generic_to_shared(words_ + i))); }

  std::uint32_t* words_;
  bool bytes_;
  std::uint32_t spare_;  ///< where a lane adds nothing, which is quicker than a branch, and out of the others' way
};

/// Where the dispatchers' tables lie: in shared memory where they fit.
struct Tables {
  Counters counters;
  std::uint64_t* ring;   ///< of FifoReady
  std::uint32_t* ready;  ///< by home, CentralDispatcher::ready_words apart
  const std::uint32_t* successors;
  std::uint32_t* places;  ///< of the tasks in flight, by worker and slot of its mailbox
  TaskEdges* edges;       ///< theirs, copied while they run
  WideTasks wide;
  DispatchIteration* rounds;  ///< kTimedRounds of each dispatcher; null unless they are timed alone
};

}  // namespace tasktwin::gpu
