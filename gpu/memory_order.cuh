#pragma once

#include <cstdint>

#include "gpu/device_word.hpp"

namespace tasktwin::gpu {

/// What the block has done until here comes before any word that the warp writes after it, to whoever acquires that word.
/// Lighter than a fence that acquires too, which would drop the L1 cache's contents.
__device__ inline void release_fence() { asm volatile("fence.release.gpu;" ::: "memory"); }

/// One less, relaxed and at device scope; nobody waits for the old value.
__device__ inline void decrement(std::uint32_t& word) { asm volatile("red.relaxed.gpu.global.add.u32 [%0], -1;" ::"l"(&word) : "memory"); }

/// Nanoseconds of the timer all multiprocessors share; it steps by 32 ns on an H200.
__device__ inline std::uint64_t global_timer() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace tasktwin::gpu
