#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/body_thread.cuh"
#include "gpu/bodies/decode_constants.hpp"

namespace tasktwin::gpu {

/// normed ← state / rms(state) · weights of the given norm. Contract: hidden is a multiple of 8.
__device__ __forceinline__ void rms_norm(const DecodeContext& decode, int norm, float* shared) {
  const int fours = decode.hidden / 4;
  const float4* state = reinterpret_cast<const float4*>(decode.state);
  const float4* weights = reinterpret_cast<const float4*>(decode.norm_weights) + static_cast<std::size_t>(norm) * fours;
  float4* normed = reinterpret_cast<float4*>(decode.normed);
  float squares = 0;
  for (int i = body_thread(); i < fours; i += kBodyThreads) {
    const float4 value = state[i];
    squares += value.x * value.x + value.y * value.y + value.z * value.z + value.w * value.w;
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = squares;
  body_sync();
  float total = 0;
#pragma unroll
  for (int warp = 0; warp < kBodyWarps; ++warp) total += shared[warp];
  const float scale = 1.0f / sqrtf(total / static_cast<float>(decode.hidden) + kNormEpsilon);
  for (int i = body_thread(); i < fours; i += kBodyThreads) {
    const float4 value = state[i];
    const float4 weight = weights[i];
    normed[i] = make_float4(value.x * scale * weight.x, value.y * scale * weight.y, value.z * scale * weight.z, value.w * scale * weight.w);
  }
}

struct RmsNormBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kRmsNorm; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    rms_norm(call.context.decode, 2 * call.first + call.second, call.shared());
  }
};

}  // namespace tasktwin::gpu
