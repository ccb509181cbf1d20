#pragma once

#include "gpu/bodies/body_thread.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/run/device_task.hpp"

namespace tasktwin::gpu {

/// Tasks that follow each other in memory, read into shared memory well before they are needed: what is read into
/// registers is waited for as soon as the compiler moves it to others. Batches begin at multiples of their size. Whole warps call.
class TaskStream {
 public:
  static constexpr std::uint32_t kBatch = 16;
  static constexpr std::uint32_t kPlaces = 4 * kBatch;
  struct Room {
    DeviceTask tasks[kPlaces];
  };

  /// Of the tasks before `end`.
  __device__ TaskStream(Room& room, const DeviceTask* tasks, std::uint32_t end) : room_(room), tasks_(tasks), end_(end) {}

  /// Whether the batch that begins with `place` has yet to be waited for.
  __device__ bool is_new(std::uint32_t place) const { return place == arrived_ || arrived_ == kNone; }

  /// Waits for it. Contract: is_new(place).
  __device__ void await_batch(std::uint32_t place) {
    const std::uint32_t first = place / kBatch * kBatch;
    if (arrived_ == kNone) {
      load(first);
      load(first + kBatch);
    }
    load(first + 2 * kBatch);  // the place of the batch before the last one: other warps may still be at the last
    wait_copies<2>();
    __syncwarp();
    arrived_ = first + kBatch;
  }

  /// After the batch last waited for.
  __device__ std::uint32_t batch_end() const { return min(arrived_, end_); }

  /// Contract: `place` is in that batch.
  __device__ DeviceTask& operator[](std::uint32_t place) const { return room_.tasks[place % kPlaces]; }

  __device__ void put(std::uint32_t place, DeviceTask& to) const {
    const auto* const from = reinterpret_cast<const uint4*>(&(*this)[place]);
    if (lane_id() < kPieces) reinterpret_cast<uint4*>(&to)[lane_id()] = from[lane_id()];
    __syncwarp();
  }

 private:
  static constexpr std::uint32_t kPieces = sizeof(DeviceTask) / sizeof(uint4);
  static constexpr std::uint32_t kNone = ~0u;

  __device__ void load(std::uint32_t first) const {
#pragma unroll
    for (std::uint32_t piece = 0; piece < kBatch * kPieces; piece += 32) {
      const std::uint32_t place = first + (piece + lane_id()) / kPieces;
      const std::uint32_t at = lane_id() % kPieces * (sizeof(uint4) / sizeof(float));
      if (place < end_) {
        copy_async(reinterpret_cast<float*>(&room_.tasks[place % kPlaces]) + at, reinterpret_cast<const float*>(tasks_ + place) + at);
      }
    }
    commit_copies();
  }

  Room& room_;
  const DeviceTask* tasks_;
  std::uint32_t end_;
  std::uint32_t arrived_ = kNone;  ///< place after those in the room
};

}  // namespace tasktwin::gpu
