#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// At least `flops` FP32 operations (two a multiply-add), rounded up to whole rounds of 8 independent chains a thread.
__device__ __forceinline__ void fma(std::uint64_t flops) {
  constexpr int kChains = 8;
  constexpr std::uint64_t kFlopsPerRound = 2ull * kBodyThreads * kChains;
  const std::uint64_t rounds = (flops + kFlopsPerRound - 1) / kFlopsPerRound;
  const int thread = body_thread();
  float chain[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chain[c] = static_cast<float>(thread + c);
#pragma unroll 4
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = __fmaf_rn(chain[c], 0.875f, 0.5f);
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += chain[c];
  keep(__float_as_uint(sum));
}

}  // namespace tasktwin::gpu
