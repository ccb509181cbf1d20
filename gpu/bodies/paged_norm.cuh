#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/decode_constants.hpp"
#include "gpu/bodies/pages.cuh"

namespace tasktwin::gpu {

/// rms_norm() with its weights from pages, and as much of the state as they can hold in the threads' registers.
struct PagedNormBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kRmsNorm; }

  __device__ __forceinline__ static void run(const BodyCall& call, PageCursor& pages) {
    constexpr int kHeld = 4;
    const DecodeContext& decode = call.context.decode;
    const int fours = decode.hidden / 4;
    const auto* const state = reinterpret_cast<const float4*>(decode.state);
    auto* const normed = reinterpret_cast<float4*>(decode.normed);
    float* const shared = call.shared();
    const int thread = body_thread();
    float4 held[kHeld];
#pragma unroll
    for (int i = 0; i < kHeld; ++i) held[i] = thread + i * kBodyThreads < fours ? state[thread + i * kBodyThreads] : float4{};
    float squares = 0;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) squares += square(held[i]);
    for (int i = thread + kHeld * kBodyThreads; i < fours; i += kBodyThreads) squares += square(state[i]);
    squares = warp_sum(squares);
    if (thread % 32 == 0) shared[thread / 32] = squares;
    body_sync();
    float total = 0;
#pragma unroll
    for (int warp = 0; warp < kBodyWarps; ++warp) total += shared[warp];
    const float scale = 1.0f / sqrtf(total / static_cast<float>(decode.hidden) + kNormEpsilon);

    const int page_fours = static_cast<int>(pages.page_bytes() / sizeof(float4));
    for (int first = 0; first < fours; first += page_fours) {
      pages.read_next([&](const std::byte* page) {
        const auto* const weights = reinterpret_cast<const float4*>(page) - first;
        const int end = min(first + page_fours, fours);
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
          const int at = thread + i * kBodyThreads;
          if (at >= first && at < end) normed[at] = scaled(held[i], scale, weights[at]);
        }
        for (int at = thread + kHeld * kBodyThreads; at < end; at += kBodyThreads) {
          if (at >= first) normed[at] = scaled(state[at], scale, weights[at]);
        }
      });
    }
  }

 private:
  __device__ static float square(const float4& value) {
    return value.x * value.x + value.y * value.y + value.z * value.z + value.w * value.w;
  }
  __device__ static float4 scaled(const float4& value, float scale, const float4& weight) {
    return make_float4(value.x * scale * weight.x, value.y * scale * weight.y, value.z * scale * weight.z, value.w * scale * weight.w);
  }
};

}  // namespace tasktwin::gpu
