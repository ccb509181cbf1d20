#pragma once

#include <cstdint>

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// At least `flops` FP32 operations (two a multiply-add), rounded up to whole rounds of 8 independent chains a thread of `threads`.
__device__ __forceinline__ void fma(std::uint64_t flops, int threads) {
  constexpr int kChains = 8;
  const std::uint64_t flops_a_round = 2ull * kChains * static_cast<unsigned>(threads);
  const std::uint64_t rounds = (flops + flops_a_round - 1) / flops_a_round;
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

struct FmaBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kFma; }
  __device__ __forceinline__ static void run(const BodyCall& call) { fma(call.task.flops, call.block.threads); }
};

}  // namespace tasktwin::gpu
