#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// A thread's share of a tile of 16 · kSpan rows and columns: kSpan × kSpan entries, the threads being 16 × 16. Lane `t`
/// of 16 has runs of four neighbours where that divides kSpan (vector accesses), else every sixteenth.
template <int kSpan>
__device__ __forceinline__ int span_position(int lane, int i) {
  return kSpan % 4 == 0 ? (i / 4) * 64 + lane * 4 + i % 4 : lane + 16 * i;
}

template <int kSpan>
__device__ __forceinline__ void load_span(float (&values)[kSpan], const float* column, int lane) {
  if constexpr (kSpan % 4 == 0) {
#pragma unroll
    for (int run = 0; run < kSpan / 4; ++run) {
      const float4 four = *reinterpret_cast<const float4*>(column + run * 64 + lane * 4);
      values[4 * run] = four.x;
      values[4 * run + 1] = four.y;
      values[4 * run + 2] = four.z;
      values[4 * run + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kSpan; ++i) values[i] = column[lane + 16 * i];
  }
}

template <int kSpan>
__device__ __forceinline__ void store_span(float* column, const float (&values)[kSpan], int lane) {
  if constexpr (kSpan % 4 == 0) {
#pragma unroll
    for (int run = 0; run < kSpan / 4; ++run) {
      *reinterpret_cast<float4*>(column + run * 64 + lane * 4) =
          make_float4(values[4 * run], values[4 * run + 1], values[4 * run + 2], values[4 * run + 3]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kSpan; ++i) column[lane + 16 * i] = values[i];
  }
}

/// c ← c − a · bᵀ for tiles of 16 · kSpan rows and columns; a may be b (syrk: the upper triangle is updated too).
/// The operands arrive in four groups of columns, and arithmetic begins with the first.
template <int kSpan>
__device__ __forceinline__ void update_tile(float* c, const float* a, const float* b, float* shared) {
  constexpr int kSize = 16 * kSpan;
  constexpr int kGroups = 4;
  constexpr int kGroupColumns = kSize / kGroups;
  float* const shared_a = shared;
  float* const shared_b = a == b ? shared : shared + kSize * kSize;
  for (int group = 0; group < kGroups; ++group) {
    const int begin = group * kGroupColumns * kSize;
    for (int i = 4 * body_thread(); i < kGroupColumns * kSize; i += 4 * kBodyThreads) {
      copy_async(shared_a + begin + i, a + begin + i);
      if (a != b) copy_async(shared_b + begin + i, b + begin + i);
    }
    commit_copies();
  }

  const int row_lane = body_thread() % 16;
  const int column_lane = body_thread() / 16;
  float sums[kSpan][kSpan];  // [column][row]
#pragma unroll
  for (int j = 0; j < kSpan; ++j) load_span<kSpan>(sums[j], c + span_position<kSpan>(column_lane, j) * kSize, row_lane);

  for (int group = 0; group < kGroups; ++group) {
    switch (group) {
      case 0:
        wait_copies<3>();
        break;
      case 1:
        wait_copies<2>();
        break;
      case 2:
        wait_copies<1>();
        break;
      default:
        wait_copies<0>();
        break;
    }
    body_sync();
#pragma unroll 2
    for (int p = group * kGroupColumns; p < (group + 1) * kGroupColumns; ++p) {
      float rows[kSpan];
      float columns[kSpan];
      load_span<kSpan>(rows, shared_a + p * kSize, row_lane);
      load_span<kSpan>(columns, shared_b + p * kSize, column_lane);
#pragma unroll
      for (int j = 0; j < kSpan; ++j) {
#pragma unroll
        for (int i = 0; i < kSpan; ++i) sums[j][i] = __fmaf_rn(-rows[i], columns[j], sums[j][i]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kSpan; ++j) store_span<kSpan>(c + span_position<kSpan>(column_lane, j) * kSize, sums[j], row_lane);
}

/// gemm, and syrk where a is b. Contract: size is a multiple of 16, 16 to 128.
__device__ __forceinline__ void update_tile(float* c, const float* a, const float* b, int size, float* shared) {
  switch (size / 16) {
    case 1:
      return update_tile<1>(c, a, b, shared);
    case 2:
      return update_tile<2>(c, a, b, shared);
    case 3:
      return update_tile<3>(c, a, b, shared);
    case 4:
      return update_tile<4>(c, a, b, shared);
    case 5:
      return update_tile<5>(c, a, b, shared);
    case 6:
      return update_tile<6>(c, a, b, shared);
    case 7:
      return update_tile<7>(c, a, b, shared);
    default:
      return update_tile<8>(c, a, b, shared);
  }
}

/// A syrk is a gemm of which first is second.
struct UpdateTileBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kSyrk || kernel == Kernel::kGemm; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    update_tile(call.tile(call.first, call.second), call.tile(call.first, call.third), call.tile(call.second, call.third), call.fourth,
                call.shared());
  }
};

}  // namespace tasktwin::gpu
