#pragma once

#include <cstdint>

#include <cuda/atomic>

namespace tasktwin::gpu {

/// Everything that blocks say to each other goes through these words, at device scope.
using DeviceWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
using DeviceWord64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;
/// And what the warps of one block say to each other in shared memory.
using BlockWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>;

inline constexpr auto kRelaxed = cuda::memory_order_relaxed;
inline constexpr auto kAcquire = cuda::memory_order_acquire;
inline constexpr auto kRelease = cuda::memory_order_release;
inline constexpr auto kAcqRel = cuda::memory_order_acq_rel;

/// Nanoseconds of the timer all multiprocessors share; it steps by 32 ns on an H200.
__device__ inline std::uint64_t global_timer() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace tasktwin::gpu
