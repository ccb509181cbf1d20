#pragma once

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Triangular tiles are worked through in panels of that many columns.
inline constexpr int kPanel = 16;

/// Starts a copy of a whole tile to shared memory; to be waited for with wait_copies<0> and body_sync.
__device__ __forceinline__ void copy_tile_async(float* shared, const float* tile, int size) {
  for (int i = 4 * body_thread(); i < size * size; i += 4 * kBodyThreads) copy_async(shared + i, tile + i);
  commit_copies();
}

/// Columns [panel, panel + 16) of x, rows from first_row: x ← x − x[:, :panel] · l[panel : panel + 16, :panel]ᵀ, all in
/// shared memory, where x may be l. A thread takes one row and kColumns columns.
template <int kColumns>
__device__ __forceinline__ void update_panel(float* x, const float* l, int size, int panel, int first_row) {
  const int row = body_thread() % size;
  const int group = body_thread() / size;
  if (group >= kPanel / kColumns || row < first_row) return;
  const int column = panel + group * kColumns;
  float sums[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) sums[c] = x[(column + c) * size + row];
#pragma unroll 4
  for (int p = 0; p < panel; ++p) {
    const float value = x[p * size + row];
    const float* factors = l + p * size + column;
    if constexpr (kColumns % 4 == 0) {
#pragma unroll
      for (int c = 0; c < kColumns; c += 4) {
        const float4 four = *reinterpret_cast<const float4*>(factors + c);
        sums[c] = __fmaf_rn(-value, four.x, sums[c]);
        sums[c + 1] = __fmaf_rn(-value, four.y, sums[c + 1]);
        sums[c + 2] = __fmaf_rn(-value, four.z, sums[c + 2]);
        sums[c + 3] = __fmaf_rn(-value, four.w, sums[c + 3]);
      }
    } else {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sums[c] = __fmaf_rn(-value, factors[c], sums[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < kColumns; ++c) x[(column + c) * size + row] = sums[c];
}

/// The same with as many columns a thread as keep the most threads busy: size · 16 / kColumns <= kBodyThreads.
__device__ __forceinline__ void update_panel(float* x, const float* l, int size, int panel, int first_row) {
  if (size <= 16) return update_panel<1>(x, l, size, panel, first_row);
  if (size <= 32) return update_panel<2>(x, l, size, panel, first_row);
  if (size <= 64) return update_panel<4>(x, l, size, panel, first_row);
  update_panel<8>(x, l, size, panel, first_row);
}

/// Columns [panel, panel + 16) of x, rows from first_row: x ← x · D⁻ᵀ with D the diagonal block of l there, whose
/// diagonal's reciprocals are `reciprocals[panel …]`. A thread takes one row.
__device__ __forceinline__ void solve_panel(float* x, const float* l, const float* reciprocals, int size, int panel, int first_row) {
  const int row = body_thread();
  if (row < first_row || row >= size) return;
  float values[kPanel];
#pragma unroll
  for (int c = 0; c < kPanel; ++c) values[c] = x[(panel + c) * size + row];
#pragma unroll
  for (int j = 0; j < kPanel; ++j) {
    values[j] *= reciprocals[panel + j];
    const float* factors = l + (panel + j) * size + panel;
#pragma unroll
    for (int run = j / 4 * 4; run < kPanel; run += 4) {
      const float4 four = *reinterpret_cast<const float4*>(factors + run);
      if (run > j) values[run] = __fmaf_rn(-values[j], four.x, values[run]);
      if (run + 1 > j) values[run + 1] = __fmaf_rn(-values[j], four.y, values[run + 1]);
      if (run + 2 > j) values[run + 2] = __fmaf_rn(-values[j], four.z, values[run + 2]);
      if (run + 3 > j) values[run + 3] = __fmaf_rn(-values[j], four.w, values[run + 3]);
    }
  }
#pragma unroll
  for (int c = 0; c < kPanel; ++c) x[(panel + c) * size + row] = values[c];
}

}  // namespace tasktwin::gpu
