#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/tile_panel.cuh"

namespace tasktwin::gpu {

/// x ← x · l⁻ᵀ with l the lower triangle of its tile, panel by panel from the left (left-looking).
/// Contract: size is a multiple of 16, 16 to 128.
__device__ __forceinline__ void trsm(float* x, const float* l, int size, float* shared) {
  float* const shared_x = shared;
  float* const shared_l = shared + size * size;
  float* const reciprocals = shared_l + size * size;
  copy_tile_async(shared_l, l, size);
  copy_tile_async(shared_x, x, size);
  wait_copies<0>();
  body_sync();
  const int thread = body_thread();
  if (thread < size) reciprocals[thread] = 1.0f / shared_l[thread * size + thread];
  for (int panel = 0; panel < size; panel += kPanel) {
    update_panel(shared_x, shared_l, size, panel, 0);
    body_sync();
    solve_panel(shared_x, shared_l, reciprocals, size, panel, 0);
    body_sync();
  }
  for (int i = 4 * thread; i < size * size; i += 4 * kBodyThreads) {
    *reinterpret_cast<float4*>(x + i) = *reinterpret_cast<const float4*>(shared_x + i);
  }
}

struct TrsmBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kTrsm; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    trsm(call.tile(call.first, call.third), call.tile(call.third, call.third), call.fourth, call.shared());
  }
};

}  // namespace tasktwin::gpu
