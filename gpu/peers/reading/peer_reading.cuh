#pragma once

#include <cstddef>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Reads `bytes`, rounded up to 16, which may lie in another device's memory, by the kBodyThreads threads of a body: eight loads of 16
/// bytes a thread are in flight, past the L1 cache. Contract: no thread writes them meanwhile.
__device__ __forceinline__ void read_bytes(const std::byte* memory, std::size_t bytes, int threads = kBodyThreads) {
  constexpr int kLoads = 8;
  const auto* const pieces = reinterpret_cast<const uint4*>(memory);
  const std::size_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  unsigned folded = 0;
  for (auto at = static_cast<std::size_t>(body_thread()); at < count;) {
    uint4 loaded[kLoads] = {};
#pragma unroll
    for (int i = 0; i < kLoads; ++i, at += static_cast<unsigned>(threads)) {
      if (at < count)
        asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(loaded[i].x), "=r"(loaded[i].y), "=r"(loaded[i].z), "=r"(loaded[i].w)
                     : "l"(pieces + at));
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) folded ^= loaded[i].x ^ loaded[i].y ^ loaded[i].z ^ loaded[i].w;
  }
  keep(folded);
}

}  // namespace tasktwin::gpu
