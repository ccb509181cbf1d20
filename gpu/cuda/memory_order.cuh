#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"

namespace tasktwin::gpu {

// Compute capability 9.0 has fences in one direction; before it they are those in both, which order more than is asked for.
#if __CUDA_ARCH__ >= 900
#define TASKTWIN_RELEASE_FENCE "fence.release."
#define TASKTWIN_ACQUIRE_FENCE "fence.acquire."
#else
#define TASKTWIN_RELEASE_FENCE "fence.acq_rel."
#define TASKTWIN_ACQUIRE_FENCE "fence.acq_rel."
#endif

/// What the block has done until here comes before any word that the warp writes after it, to any reader that acquires that word.
/// Lighter than a fence that acquires too, which would drop the L1 cache's contents.
__device__ inline void release_fence() { asm volatile(TASKTWIN_RELEASE_FENCE "gpu;" ::: "memory"); }

/// What others released by the words that the warp has read until here, relaxed, comes before all that it does after it. It waits
/// for nothing and drops the L1 cache's contents: polling with relaxed loads and acquiring once spares that at every poll.
__device__ inline void acquire_fence() { asm volatile(TASKTWIN_ACQUIRE_FENCE "gpu;" ::: "memory"); }

/// The same two within a block.
__device__ inline void release_fence_in_block() { asm volatile(TASKTWIN_RELEASE_FENCE "cta;" ::: "memory"); }
__device__ inline void acquire_fence_in_block() { asm volatile(TASKTWIN_ACQUIRE_FENCE "cta;" ::: "memory"); }

#undef TASKTWIN_RELEASE_FENCE
#undef TASKTWIN_ACQUIRE_FENCE

/// The word, read relaxed and at device scope, or `otherwise` where the lane does not read. It is not waited for before it is used.
__device__ inline std::uint32_t load_if(bool reads, const std::uint32_t& word, std::uint32_t otherwise) {
  std::uint32_t value = otherwise;
  asm volatile("{ .reg .pred reads; setp.ne.u32 reads, %2, 0; @reads ld.relaxed.gpu.global.u32 %0, [%1]; }"
               : "+r"(value)
               : "l"(&word), "r"(static_cast<std::uint32_t>(reads))
               : "memory");
  return value;
}

/// The same of 16 bytes that are not written while they are read.
__device__ inline void load_if(bool reads, const uint4& from, uint4& to) {
  asm volatile("{ .reg .pred reads; setp.ne.u32 reads, %5, 0; @reads ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
               : "+r"(to.x), "+r"(to.y), "+r"(to.z), "+r"(to.w)
               : "l"(&from), "r"(static_cast<std::uint32_t>(reads))
               : "memory");
}

/// One less, relaxed and at device scope; no thread waits for the old value.
__device__ inline void decrement(std::uint32_t& word) { asm volatile("red.relaxed.gpu.global.add.u32 [%0], -1;" ::"l"(&word) : "memory"); }

/// Nanoseconds of the timer all multiprocessors share; it steps by 32 ns on an H200.
__device__ inline std::uint64_t global_timer() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace tasktwin::gpu
