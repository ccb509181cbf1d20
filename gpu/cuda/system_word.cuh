#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// What devices say to each other goes through these, at system scope; the words lie in the memory of either.
__device__ inline std::uint32_t load_acquire_system(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ inline std::uint32_t load_relaxed_system(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ inline void store_release_system(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// One less, relaxed; no thread waits for the old value.
__device__ inline void decrement_system(std::uint32_t* word) {
  asm volatile("red.relaxed.sys.global.add.u32 [%0], -1;" ::"l"(word) : "memory");
}

/// What the block has done until here comes before any word that the warp writes after it, to any reader that acquires that word on any
/// device.
__device__ inline void release_fence_system() { asm volatile("fence.release.sys;" ::: "memory"); }

/// What others released by words that the warp has read until here, relaxed, comes before all that it does after it.
__device__ inline void acquire_fence_system() { asm volatile("fence.acquire.sys;" ::: "memory"); }

}  // namespace tasktwin::gpu
