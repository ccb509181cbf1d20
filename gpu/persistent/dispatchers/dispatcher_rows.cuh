#pragma once

#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// The sum of the lanes' values up to and including this one.
__device__ __forceinline__ std::uint32_t sum_through(std::uint32_t value) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(kAllLanes, value, step);
    if (lane_id() >= static_cast<std::uint32_t>(step)) value += below;
  }
  return value;
}

/// Each lane brings a row of `count` successors, or what is left of it; the warp walks all rows together, 32 edges at a time:
/// f(successor), kStopTask for none. Returns the number of edges.
template <class F>
__device__ __forceinline__ std::uint32_t walk_rows(const std::uint32_t* successors, std::uint32_t first, std::uint32_t count, F&& f) {
  const std::uint32_t through = sum_through(count);
  const std::uint32_t total = __shfl_sync(kAllLanes, through, 31);
  const std::uint32_t begin = through - count;
#pragma unroll 1
  for (std::uint32_t base = 0; base < total; base += 32) {
    const std::uint32_t edge = base + lane_id();
    std::uint32_t owner = 0;
#pragma unroll
    for (std::uint32_t step = 16; step > 0; step /= 2) {
      if (__shfl_sync(kAllLanes, begin, owner + step) <= edge) owner += step;
    }
    const std::uint32_t row = __shfl_sync(kAllLanes, first, owner);
    const std::uint32_t row_begin = __shfl_sync(kAllLanes, begin, owner);
    f(edge < total ? successors[row + (edge - row_begin)] : kStopTask);
  }
  return total;
}

}  // namespace tasktwin::gpu
