#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/run/device_task.hpp"

namespace tasktwin::gpu {

/// Up to eight tasks on their way from memory, in the registers of a warp, so that their latency is paid once and while
/// something else continues. Whole warps call.
class TaskBatch {
 public:
  static constexpr std::uint32_t kCapacity = 8;

  /// Begins to read `count` tasks; lane i < count brings the position of the i-th in `tasks`.
  __device__ void load(const DeviceTask* tasks, std::uint32_t position, std::uint32_t count) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t which = half * kTasksPerPiece + lane_id() / kPieces;
      const std::uint32_t from = __shfl_sync(kAllLanes, position, which);
      load_if(which < count, reinterpret_cast<const uint4*>(tasks + from)[lane_id() % kPieces], pieces_[half]);
    }
  }

  /// Writes the i-th of them to `to`.
  __device__ void put(std::uint32_t i, DeviceTask& to) const {
    const uint4 piece = i < kTasksPerPiece ? pieces_[0] : pieces_[1];
    if (lane_id() / kPieces == i % kTasksPerPiece) reinterpret_cast<uint4*>(&to)[lane_id() % kPieces] = piece;
    __syncwarp();
  }

 private:
  static constexpr std::uint32_t kPieces = sizeof(DeviceTask) / sizeof(uint4);
  static constexpr std::uint32_t kTasksPerPiece = 32 / kPieces;
  static_assert(2 * kTasksPerPiece == kCapacity);

  uint4 pieces_[2] = {};  ///< [i]: lane l has the piece l % 8 of task 4 i + l / 8
};

}  // namespace tasktwin::gpu
