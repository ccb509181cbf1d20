#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/matrix_rows.hpp"
#include "gpu/bodies/matrix_vector.cuh"
#include "gpu/bodies/page_copies.hpp"
#include "gpu/bodies/pages.cuh"

namespace tasktwin::gpu {

namespace paged_rows_detail {

/// Of a vector of that many numbers, what a lane multiplies its columns with, in registers: all rows meet the same.
inline constexpr int kHeldSteps = 8;
inline constexpr int kHeldColumns = kHeldSteps * 32 * 8;

struct HeldVector {
  float4 low[kHeldSteps];
  float4 high[kHeldSteps];

  __device__ __forceinline__ HeldVector(const float4* lows, const float4* highs) {
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) {
      low[step] = lows[step * 32 + body_thread() % 32];
      high[step] = highs[step * 32 + body_thread() % 32];
    }
  }

  __device__ __forceinline__ float times(const uint4* row, int) const {
    const uint4* const own = row + body_thread() % 32;
    uint4 weights[kHeldSteps];
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) weights[step] = own[step * 32];
    float sums[4] = {};
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) matrix_vector_detail::add_products(weights[step], low[step], high[step], sums);
    return warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
};

struct SharedVector {
  const float4* low;
  const float4* high;

  __device__ __forceinline__ float times(const uint4* row, int vectors) const {
    float sums[4] = {};
#pragma unroll 8
    for (int vector = body_thread() % 32; vector < vectors; vector += 32)
      matrix_vector_detail::add_products(row[vector], low[vector], high[vector], sums);
    return warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
};

/// Groups of kGroup neighbours go round the warps.
template <int kGroup, class Vector>
__device__ __forceinline__ void multiply(const MatrixRows& matrix, const Vector& vector, PageCursor& pages) {
  const int vectors = matrix.columns / 8;
  const int step = page_rows(pages.page_bytes(), matrix.columns, kGroup);
  const int warp = body_thread() / 32;
  const bool writes = body_thread() % 32 == 0;
#pragma unroll 1
  for (int first = 0; first < matrix.rows; first += step) {
    pages.read_next([&](const std::byte* page) {
      const int end = min(first + step, matrix.rows);
      const int group = first / kGroup;
#pragma unroll 1
      for (int row = (group + (warp - group % kBodyWarps + kBodyWarps) % kBodyWarps) * kGroup; row < end; row += kBodyWarps * kGroup) {
        const auto* const weights = reinterpret_cast<const uint4*>(page) + (row - first) * vectors;
        float& result = matrix.results[row / kGroup];
        const float before = matrix.adds && writes ? result : 0.0f;  // asked for before the products, so that no task waits for it
        const float product = vector.times(weights, vectors);
        if constexpr (kGroup == 1) {
          if (writes) result = before + product;
        } else {
          const float up = vector.times(weights + vectors, vectors);
          if (writes) result = product / (1.0f + expf(-product)) * up;
        }
      }
    });
  }
}

template <int kGroup>
__device__ __forceinline__ void multiply(const MatrixRows& matrix, float* shared, PageCursor& pages) {
  const int vectors = matrix.columns / 8;
  const auto* const fours = reinterpret_cast<const float4*>(matrix.vector);
  float4* const low = reinterpret_cast<float4*>(shared);
  float4* const high = low + vectors;
  for (int i = body_thread(); i < 2 * vectors; i += kBodyThreads) (i % 2 == 0 ? low : high)[i / 2] = fours[i];
  body_sync();
  if (matrix.columns == kHeldColumns) {
    multiply<kGroup>(matrix, HeldVector(low, high), pages);
  } else {
    multiply<kGroup>(matrix, SharedVector{low, high}, pages);
  }
}

}  // namespace paged_rows_detail

/// All kernels that multiply rows with a vector (reads_rows), their rows from pages.
struct PagedRowsBody {
  __device__ static bool is_of(Kernel kernel) {
    return kernel == Kernel::kQkv || kernel == Kernel::kProject || kernel == Kernel::kGateUp || kernel == Kernel::kDown ||
           kernel == Kernel::kHead;
  }
  __device__ __forceinline__ static void run(const BodyCall& call, PageCursor& pages) {
    const MatrixRows matrix = matrix_rows(call.task, call.context.decode);
    if (static_cast<Kernel>(call.task.kernel) == Kernel::kGateUp) {
      paged_rows_detail::multiply<2>(matrix, call.shared(), pages);
    } else {
      paged_rows_detail::multiply<1>(matrix, call.shared(), pages);
    }
  }
};

}  // namespace tasktwin::gpu
