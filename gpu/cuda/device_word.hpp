#pragma once

#include <cstdint>

#include <cuda/atomic>

namespace tasktwin::gpu {

/// Everything that blocks say to each other goes through these words, at device scope.
using DeviceWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
using DeviceWord64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;
/// And what the warps of one block say to each other in shared memory.
using BlockWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>;
using BlockWord64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block>;

inline constexpr auto kRelaxed = cuda::memory_order_relaxed;
inline constexpr auto kAcquire = cuda::memory_order_acquire;
inline constexpr auto kRelease = cuda::memory_order_release;
inline constexpr auto kAcqRel = cuda::memory_order_acq_rel;

}  // namespace tasktwin::gpu
