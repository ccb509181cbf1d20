#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Reads `bytes`, rounded up to 16, of the stream buffer from `offset` on (both modulo the buffer; offset a multiple of 16) by way of
/// `ring`, 128 KiB of shared memory: 112 to 128 KiB are under way all the time, whatever the compiler makes of the loop and however
/// little is left for the L1 cache. (On an H200 that draws 124 GB/s a core with 33 cores at it, where loads into registers drew 68 to 82.)
__device__ __forceinline__ void stream(std::uint64_t offset, std::uint64_t bytes, const void* buffer, float* ring) {
  constexpr int kPieces = 4;  // of 16 bytes, a thread and stage
  constexpr int kStages = 8;
  constexpr std::uint64_t kVectors = kStreamBufferBytes / sizeof(uint4);
  constexpr std::uint64_t kStage = static_cast<std::uint64_t>(kPieces) * kBodyThreads;  // in vectors
  static_assert((kVectors & (kVectors - 1)) == 0 && kStages * kStage * sizeof(uint4) <= kBodySharedBytes);
  const auto* const vectors = static_cast<const uint4*>(buffer);
  auto* const places = reinterpret_cast<uint4*>(ring) + body_thread();
  const std::uint64_t first = offset / sizeof(uint4);
  const std::uint64_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);

  auto fetched = static_cast<std::uint64_t>(body_thread());
  const auto fetch = [&](std::uint32_t stage) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i, fetched += kBodyThreads) {
      if (fetched < count) {
        copy_async(reinterpret_cast<float*>(places + stage * kStage + i * kBodyThreads),
                   reinterpret_cast<const float*>(vectors + ((first + fetched) & (kVectors - 1))));
      }
    }
    commit_copies();
  };
#pragma unroll
  for (std::uint32_t stage = 0; stage + 1 < kStages; ++stage) fetch(stage);
  unsigned folded = 0;
  std::uint32_t stage = 0;
  for (auto position = static_cast<std::uint64_t>(body_thread()); position < count; position += kStage) {
    wait_copies<kStages - 2>();
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {  // what lies past the end is what another body left there: read, and of no effect
      const uint4 piece = places[stage * kStage + i * kBodyThreads];
      folded ^= piece.x ^ piece.y ^ piece.z ^ piece.w;
    }
    fetch((stage + kStages - 1) % kStages);
    stage = (stage + 1) % kStages;
  }
  keep(folded);
}

}  // namespace tasktwin::gpu
