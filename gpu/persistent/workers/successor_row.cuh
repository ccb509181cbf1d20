#pragma once

#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// The successors of a task in the registers of a warp, read while its body runs: what is read only when the body has ended
/// comes too late, and from memory where the body has displaced it. Whole warps call.
class SuccessorRow {
 public:
  static constexpr std::uint32_t kSteps = 4;

  __device__ void prepare(const PersistentRun& run, const DeviceTask& task) {
    prepare(run, task.edges.first_successor, task.edges.successor_count, task.edges.head[lane_id() % kHeadSuccessors]);
  }

  /// `head` is for lane i < kHeadSuccessors the i-th of them.
  __device__ void prepare(const PersistentRun& run, std::uint32_t first, std::uint32_t count, std::uint32_t head) {
    count_ = count;
    head_[0] = lane_id() < min(count, kHeadSuccessors) ? head : kStopTask;
    if (count <= kHeadSuccessors) return;  // the usual row, and nothing to be read for it
    row_ = run.successors + first;
#pragma unroll
    for (std::uint32_t step = 0; step < kSteps; ++step) {
      const std::uint32_t i = 32 * step + lane_id();
      if (i >= kHeadSuccessors && i < count) {
        head_[step] = row_[i];
      } else if (step > 0) {
        head_[step] = kStopTask;
      }
    }
  }

  __device__ std::uint32_t count() const { return count_; }

  /// Calls f(successor) for each of 32 at a time, a lane each; lanes beyond the last get kStopTask.
  template <class F>
  __device__ void for_each(F&& f) const {
    if (count_ > 0) f(head_[0]);
    if (count_ <= 32) return;
#pragma unroll
    for (std::uint32_t step = 1; step < kSteps; ++step) {
      if (32 * step < count_) f(head_[step]);
    }
    for (std::uint32_t base = 32 * kSteps; base < count_; base += 32) f(base + lane_id() < count_ ? row_[base + lane_id()] : kStopTask);
  }

  /// The same, kSteps times 32 at a time: f(const std::uint32_t (&successors)[kSteps]).
  template <class F>
  __device__ void for_each_batch(F&& f) const {
    if (count_ > 0) {
      std::uint32_t first[kSteps];
#pragma unroll
      for (std::uint32_t step = 0; step < kSteps; ++step) first[step] = 32 * step < count_ ? head_[step] : kStopTask;
      f(first);
    }
    for (std::uint32_t base = 32 * kSteps; base < count_; base += 32 * kSteps) {
      std::uint32_t more[kSteps];
#pragma unroll
      for (std::uint32_t step = 0; step < kSteps; ++step) {
        const std::uint32_t i = base + 32 * step + lane_id();
        more[step] = i < count_ ? row_[i] : kStopTask;
      }
      f(more);
    }
  }

 private:
  const std::uint32_t* row_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t head_[kSteps] = {};  ///< the first of them
};

}  // namespace tasktwin::gpu
