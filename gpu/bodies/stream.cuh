#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Reads `bytes`, rounded up to 16, of the stream buffer from `offset` on (both modulo the buffer; offset a multiple of
/// 16): 8 to 16 loads of 16 bytes under way in every thread, 32 to 64 KiB in all.
__device__ __forceinline__ void stream(std::uint64_t offset, std::uint64_t bytes, const void* buffer) {
  constexpr int kLoads = 8;
  constexpr std::uint64_t kVectors = kStreamBufferBytes / sizeof(uint4);
  static_assert((kVectors & (kVectors - 1)) == 0);
  const uint4* vectors = static_cast<const uint4*>(buffer);
  const std::uint64_t first = offset / sizeof(uint4);
  const std::uint64_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);

  const auto load = [&](uint4(&batch)[kLoads], std::uint64_t from) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const std::uint64_t position = from + static_cast<std::uint64_t>(i) * kBodyThreads;
      batch[i] = position < count ? load_constant(vectors + ((first + position) & (kVectors - 1))) : uint4{};
    }
  };
  unsigned folded = 0;
  const auto fold = [&](const uint4(&batch)[kLoads]) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) folded ^= batch[i].x ^ batch[i].y ^ batch[i].z ^ batch[i].w;
  };

  constexpr std::uint64_t kBatch = static_cast<std::uint64_t>(kLoads) * kBodyThreads;
  uint4 even[kLoads];
  uint4 odd[kLoads];
  auto position = static_cast<std::uint64_t>(body_thread());
  load(even, position);
  while (position < count) {
    load(odd, position + kBatch);
    fold(even);
    load(even, position + 2 * kBatch);
    fold(odd);
    position += 2 * kBatch;
  }
  keep(folded);
}

}  // namespace tasktwin::gpu
