#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/termination/outstanding.hpp"
#include "gpu/persistent/termination/sentinels.hpp"
#include "gpu/persistent/worker_queues/worker_queues_kernel.hpp"

namespace tasktwin::gpu {

/// A worker's part in finding out that nothing is left, by the design's scheme. Its publishing unit says what has been completed
/// and spawned, its fetching unit asks. Whole warps call.
class Ending {
 public:
  __device__ Ending(const PersistentRun& run, const EndingWords& words, std::uint32_t worker)
      : run_(run), words_(words), worker_(worker), vote_(words.votes, run.workers, worker, words.created) {}

  /// Of the publishing unit, before it pushes what the task has spawned or made ready. Under a central counter, completions that
  /// spawn nothing are counted several together: the counter is one word for all.
  __device__ void completed(std::uint32_t spawned) {
    ++completed_;
    if (words_.scheme == Termination::kVote) {
      spawned_ += spawned;
      if (lane_id() == 0) DeviceWord64(words_.votes[worker_].counts).store(Vote::counts(spawned_, completed_), kRelaxed);
    } else if (spawned > 0 || completed_ == kMostUncounted) {
      count(spawned);
    }
  }

  /// Of the publishing unit, before it waits for a task.
  __device__ void idle() {
    if (words_.scheme != Termination::kVote && completed_ > 0) count(0);
  }

  /// Of the fetching unit: begins to read what over() judges, so that it can travel with another load.
  __device__ std::uint32_t peek() const {
    if (words_.scheme == Termination::kVote) return 0;
    return DeviceWord(words_.scheme == Termination::kCounter ? *words_.outstanding : words_.stops[worker_ * kLineWords]).load(kRelaxed);
  }

  /// Of the fetching unit when it has found nothing: whether there will be nothing any more. The vote proceeds by being asked.
  __device__ bool over(std::uint32_t peeked) {
    bool says = words_.scheme == Termination::kCounter ? peeked == 0 : peeked != 0;
    if (words_.scheme == Termination::kVote) says = lane_id() == 0 && vote_.step();
    if (!__any_sync(kAllLanes, says)) return false;
    if (run_.phases && lane_id() == 0) run_.stopped[worker_] = global_timer();
    return true;
  }

 private:
  static constexpr std::uint32_t kMostUncounted = 16;

  __device__ void count(std::uint32_t spawned) {
    const std::uint32_t number = completed_;
    completed_ = 0;
    const Outstanding outstanding{words_.outstanding};
    if (words_.scheme == Termination::kCounter) {
      if (lane_id() == 0) outstanding.count(number, spawned);
    } else {
      const bool last = lane_id() == 0 && outstanding.count(number, spawned);
      if (__any_sync(kAllLanes, last)) Sentinels{outstanding, words_.stops, kLineWords, run_.workers}.push(lane_id(), 32);
    }
  }

  const PersistentRun& run_;
  const EndingWords& words_;
  std::uint32_t worker_;
  // Of the publishing unit:
  std::uint32_t completed_ = 0;  ///< and not yet counted; under the vote, in all
  std::uint32_t spawned_ = 0;    ///< under the vote, in all
  // Of the fetching unit, in lane 0:
  Vote vote_;
};

}  // namespace tasktwin::gpu
