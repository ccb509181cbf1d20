#pragma once

#include <cstdint>

namespace tasktwin::gpu {

inline constexpr std::uint32_t kAllLanes = ~0u;

__device__ inline std::uint32_t lane_id() { return threadIdx.x % 32; }

/// threadIdx.x, read again: what is computed from it holds no register over a long stretch of code before.
__device__ inline std::uint32_t thread_here() {
  std::uint32_t thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

/// How many lanes below this one are in `lanes`.
__device__ inline std::uint32_t rank_in(std::uint32_t lanes) { return __popc(lanes & ((1u << lane_id()) - 1)); }

/// Of what all lanes have: the sum, and that of the lanes below.
struct Share {
  std::uint32_t total;
  std::uint32_t before;
};

/// Contract: no lane has more than kMost. The bits are counted side by side, where a sum from lane to lane takes step after step.
template <unsigned kMost>
__device__ __forceinline__ Share share(std::uint32_t own) {
  Share all{};
#pragma unroll
  for (int bit = 0; kMost >> bit != 0; ++bit) {
    const std::uint32_t lanes = __ballot_sync(kAllLanes, (own >> bit & 1u) != 0);
    all.total += static_cast<std::uint32_t>(__popc(lanes)) << bit;
    all.before += rank_in(lanes) << bit;
  }
  return all;
}

}  // namespace tasktwin::gpu
