#pragma once

#include <cstdint>

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/body_thread.cuh"
#include "models/rules/stream_ring.hpp"

namespace tasktwin::gpu {

using rules::kStreamPieces;
using rules::kStreamStages;
static_assert(rules::stream_ring_bytes(kBodyThreads) <= kBodySharedBytes);

inline constexpr std::uint64_t kStreamVectors = kStreamBufferBytes / sizeof(uint4);
static_assert((kStreamVectors & (kStreamVectors - 1)) == 0);

__device__ __forceinline__ unsigned fold(const uint4& piece) { return piece.x ^ piece.y ^ piece.z ^ piece.w; }

/// By way of `ring`: 7 to 8 stages are in flight all the time, whatever the compiler makes of the loop and however little is left for the
/// L1 cache.
__device__ __forceinline__ void stream_by_ring(const uint4* vectors, std::uint64_t first, std::uint64_t count, uint4* ring, int threads) {
  const std::uint64_t stage_vectors = static_cast<std::uint64_t>(kStreamPieces) * static_cast<unsigned>(threads);
  uint4* const places = ring + body_thread();
  auto fetched = static_cast<std::uint64_t>(body_thread());
  const auto fetch = [&](std::uint32_t stage) {
#pragma unroll
    for (int i = 0; i < kStreamPieces; ++i, fetched += static_cast<unsigned>(threads)) {
      if (fetched < count) {
        copy_async(reinterpret_cast<float*>(places + stage * stage_vectors + i * threads),
                   reinterpret_cast<const float*>(vectors + ((first + fetched) & (kStreamVectors - 1))));
      }
    }
    commit_copies();
  };
#pragma unroll
  for (std::uint32_t stage = 0; stage + 1 < kStreamStages; ++stage) fetch(stage);
  unsigned folded = 0;
  std::uint32_t stage = 0;
  for (auto position = static_cast<std::uint64_t>(body_thread()); position < count; position += stage_vectors) {
    wait_copies<kStreamStages - 2>();
#pragma unroll
    for (int i = 0; i < kStreamPieces; ++i)  // what lies past the end is what another body left there: read, and of no effect
      folded ^= fold(places[stage * stage_vectors + i * threads]);
    fetch((stage + kStreamStages - 1) % kStreamStages);
    stage = (stage + 1) % kStreamStages;
  }
  keep(folded);
}

/// By loads into registers, a stage of them at a time.
__device__ __forceinline__ void stream_by_registers(const uint4* vectors, std::uint64_t first, std::uint64_t count, int threads) {
  unsigned folded = 0;
  for (auto position = static_cast<std::uint64_t>(body_thread()); position < count;) {
    uint4 pieces[kStreamPieces] = {};
#pragma unroll
    for (int i = 0; i < kStreamPieces; ++i, position += static_cast<unsigned>(threads)) {
      if (position < count) pieces[i] = load_constant(vectors + ((first + position) & (kStreamVectors - 1)));
    }
#pragma unroll
    for (int i = 0; i < kStreamPieces; ++i) folded ^= fold(pieces[i]);
  }
  keep(folded);
}

/// Reads `bytes`, rounded up to 16, of the stream buffer from `offset` on (both modulo the buffer; offset a multiple of 16): by way of a
/// ring in `shared` where the block has room for it, else by loads into registers. (On an H200 the ring of kBodyThreads draws 124 GB/s a
/// core with 33 cores at it, where loads into registers drew 68 to 82.)
__device__ __forceinline__ void stream(std::uint64_t offset, std::uint64_t bytes, const void* buffer, float* shared, BodyBlock block) {
  const auto* const vectors = static_cast<const uint4*>(buffer);
  const std::uint64_t first = offset / sizeof(uint4);
  const std::uint64_t count = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  if (static_cast<std::int64_t>(block.shared_bytes) >= rules::stream_ring_bytes(block.threads)) {
    stream_by_ring(vectors, first, count, reinterpret_cast<uint4*>(shared), block.threads);
  } else {
    stream_by_registers(vectors, first, count, block.threads);
  }
}

struct StreamBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kStream; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    stream(call.task.stream_offset + blockIdx.x * call.task.stream_stride, call.task.bytes, call.context.stream_buffer, call.shared(),
           call.block);
  }
};

}  // namespace tasktwin::gpu
