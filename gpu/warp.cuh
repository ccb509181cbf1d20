#pragma once

#include <cstdint>

namespace tasktwin::gpu {

inline constexpr std::uint32_t kAllLanes = ~0u;

__device__ inline std::uint32_t lane_id() { return threadIdx.x % 32; }

/// threadIdx.x, read anew: what is computed from it holds no register over a long stretch of code before.
__device__ inline std::uint32_t thread_here() {
  std::uint32_t thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

/// How many lanes below this one are in `lanes`.
__device__ inline std::uint32_t rank_in(std::uint32_t lanes) { return __popc(lanes & ((1u << lane_id()) - 1)); }

}  // namespace tasktwin::gpu
