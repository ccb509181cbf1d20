#pragma once

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

namespace matrix_vector_detail {

/// Eight products into four sums, so that no product waits for the one before.
__device__ __forceinline__ void add_products(const uint4& weights, const float4& low, const float4& high, float (&sums)[4]) {
  float factors[8];
  unpack_bf16(weights, factors);
  sums[0] = __fmaf_rn(factors[0], low.x, sums[0]);
  sums[1] = __fmaf_rn(factors[1], low.y, sums[1]);
  sums[2] = __fmaf_rn(factors[2], low.z, sums[2]);
  sums[3] = __fmaf_rn(factors[3], low.w, sums[3]);
  sums[0] = __fmaf_rn(factors[4], high.x, sums[0]);
  sums[1] = __fmaf_rn(factors[5], high.y, sums[1]);
  sums[2] = __fmaf_rn(factors[6], high.z, sums[2]);
  sums[3] = __fmaf_rn(factors[7], high.w, sums[3]);
}

}  // namespace matrix_vector_detail

/// Dot products of rows of a BF16 matrix with a vector, accumulated in FP32.
///
/// Row r lies at weights + r · columns. The rows come in groups of kGroup neighbours; a warp takes whole groups, each lane
/// 8 to 16 loads of 16 bytes ahead, so that a block has 32 to 64 KiB in flight. The first loads start before x is read.
/// `finish(row, sum)` is called by every lane of the row's warp, a group's rows in order.
/// Contract: columns is a multiple of 8 and at most kMaxColumns; weights and x are aligned to 16 bytes.
template <int kGroup, class Finish>
__device__ __forceinline__ void multiply_rows(const Bf16* weights, int rows, int columns, const float* x, float* shared, Finish finish) {
  constexpr int kLoads = 8;
  struct Position {
    int row;
    int step;
  };
  const int lane = body_thread() % 32;
  const int warp = body_thread() / 32;
  const int vectors = columns / 8;
  const int steps = (vectors + 32 * kLoads - 1) / (32 * kLoads);

  const auto load = [&](uint4(&batch)[kLoads], Position at) {
    const uint4* row = reinterpret_cast<const uint4*>(weights + static_cast<std::size_t>(at.row) * columns);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int vector = (at.step * kLoads + i) * 32 + lane;
      batch[i] = at.row < rows && vector < vectors ? load_constant(row + vector) : uint4{};
    }
  };
  const auto next = [&](Position at) {
    if (++at.step < steps) return at;
    at.step = 0;
    if (++at.row % kGroup == 0) at.row += (kBodyWarps - 1) * kGroup;
    return at;
  };

  uint4 current[kLoads];
  uint4 ahead[kLoads];
  Position at{warp * kGroup, 0};
  load(current, at);

  // x by halves of eight neighbours, so that a warp's 16-byte reads of either half meet no bank twice.
  const float4* x_fours = reinterpret_cast<const float4*>(x);
  float4* const low = reinterpret_cast<float4*>(shared);
  float4* const high = low + vectors;
  for (int i = body_thread(); i < 2 * vectors; i += kBodyThreads) (i % 2 == 0 ? low : high)[i / 2] = x_fours[i];
  body_sync();

  float sums[4] = {};
#pragma unroll 2
  while (at.row < rows) {
    const Position following = next(at);
    load(ahead, following);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int vector = (at.step * kLoads + i) * 32 + lane;
      if (vector < vectors) matrix_vector_detail::add_products(current[i], low[vector], high[vector], sums);
    }
    if (at.step == steps - 1) {
      finish(at.row, warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3])));
#pragma unroll
      for (float& sum : sums) sum = 0;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) current[i] = ahead[i];
    at = following;
  }
}

}  // namespace tasktwin::gpu
