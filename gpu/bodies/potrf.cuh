#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/tile_panel.cuh"

namespace tasktwin::gpu {

/// Cholesky of the 16 × 16 diagonal block at `panel` of a tile in shared memory, by one whole warp: lane r (and r + 16,
/// which repeats it) holds row r. Leaves the reciprocals of its diagonal in `reciprocals[panel …]`.
__device__ __forceinline__ void factor_diagonal_block(float* tile, float* reciprocals, int size, int panel) {
  const int row = body_thread() % kPanel;
  float values[kPanel];
#pragma unroll
  for (int c = 0; c < kPanel; ++c) values[c] = tile[(panel + c) * size + panel + row];
#pragma unroll
  for (int j = 0; j < kPanel; ++j) {
    const float pivot = sqrtf(__shfl_sync(0xffffffffu, values[j], j));
    const float reciprocal = 1.0f / pivot;
    values[j] = row == j ? pivot : values[j] * reciprocal;
    if (threadIdx.x == 0) reciprocals[panel + j] = reciprocal;
#pragma unroll
    for (int c = j + 1; c < kPanel; ++c) values[c] = __fmaf_rn(-values[j], __shfl_sync(0xffffffffu, values[j], c), values[c]);
  }
  __syncwarp();  // the other half has read its rows
  if (threadIdx.x < kPanel) {
#pragma unroll
    for (int c = 0; c < kPanel; ++c) tile[(panel + c) * size + panel + row] = c <= row ? values[c] : 0.0f;
  }
}

/// The lower Cholesky factor of a tile in its place, zeros above the diagonal (left-looking, in panels); not a number
/// where the tile is not positive definite. Contract: size is a multiple of 16, 16 to 128.
__device__ __forceinline__ void potrf(float* tile, int size, float* shared) {
  float* const reciprocals = shared + size * size;
  copy_tile_async(shared, tile, size);
  wait_copies<0>();
  body_sync();
  for (int panel = 0; panel < size; panel += kPanel) {
    update_panel(shared, shared, size, panel, panel);
    body_sync();
    if (threadIdx.x < 32) factor_diagonal_block(shared, reciprocals, size, panel);
    body_sync();
    solve_panel(shared, shared, reciprocals, size, panel, panel + kPanel);
    body_sync();
  }
  for (int i = body_thread(); i < size * size; i += kBodyThreads) {
    const int row = i % size;
    const int column = i / size;
    tile[i] = row < column ? 0.0f : shared[i];
  }
}

struct PotrfBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kPotrf; }
  __device__ __forceinline__ static void run(const BodyCall& call) { potrf(call.tile(call.third, call.third), call.fourth, call.shared()); }
};

}  // namespace tasktwin::gpu
