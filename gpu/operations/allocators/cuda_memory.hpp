#pragma once

#include <cstdint>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

/// Whether memory was to be had. A call that found none leaves an error that later calls must not take for theirs.
inline bool had_memory(cudaError_t status, const char* what) {
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  check(status, what);
  return true;
}

/// cudaMalloc; null where the device lacks the memory.
inline void* device_malloc(std::int64_t bytes) {
  void* memory = nullptr;
  return had_memory(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "allocating GPU memory") ? memory : nullptr;
}

inline std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }
inline void* memory_at(std::uint64_t address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

}  // namespace tasktwin::gpu
