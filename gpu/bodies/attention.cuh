#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/body_thread.cuh"
#include "gpu/bodies/hashed_values.hpp"
#include "gpu/bodies/tile_layout.hpp"

namespace tasktwin::gpu {

namespace attention_detail {

constexpr int kHeads = 4;             ///< query heads that share one pass over the keys and values
constexpr int kUnroll = 4;            ///< positions a lane has in flight, key and value
constexpr float kNoMaximum = -1e30f;  ///< below any score, and finite: differences stay numbers
constexpr float kLog2E = 1.4426950408889634f;

/// Component `d` of a vector of qkv, turned to the new position.
__device__ __forceinline__ float rotated(const DecodeContext& decode, const float* vector, int d) {
  const int half = decode.head_dim / 2;
  const int i = d % half;
  const float first = vector[i];
  const float second = vector[i + half];
  return d < half ? first * decode.rope_cos[i] - second * decode.rope_sin[i] : second * decode.rope_cos[i] + first * decode.rope_sin[i];
}

/// queries[h] ← the query of head first_head + h, turned and scaled for exp2; 0 from `heads` on. `thread`: the caller's body_thread(); read
/// again here it would cost kernels of workers the registers that they have, and all of their bodies some per cent.
__device__ __forceinline__ void load_queries(const DecodeContext& decode, int first_head, int heads, int thread, float* queries) {
  const int dim = decode.head_dim;
  const float score_scale = kLog2E / sqrtf(static_cast<float>(dim));
  for (int i = thread; i < kHeads * dim; i += kBodyThreads) {
    const float* query = decode.qkv + static_cast<std::size_t>(first_head + i / dim) * dim;
    queries[i] = i / dim < heads ? rotated(decode, query, i % dim) * score_scale : 0.0f;
  }
}

/// Writes the new position's key and value to the cache.
__device__ __forceinline__ void append_to_cache(const DecodeContext& decode, int kv_head, Bf16* keys, Bf16* values) {
  const int dim = decode.head_dim;
  const float* key = decode.qkv + decode.hidden + kv_head * dim;
  const float* value = key + decode.kv_heads * dim;
  const std::size_t row = static_cast<std::size_t>(decode.kv_length - 1) * dim;
  for (int d = body_thread(); d < 2 * dim; d += kBodyThreads) {
    if (d < dim) {
      keys[row + d] = to_bf16(rotated(decode, key, d));
    } else {
      values[row + d - dim] = to_bf16(value[d - dim]);
    }
  }
}

/// A thread's place in the cache: a row (head_dim BF16) is read by `row_lanes` lanes, so that a warp takes 32 / row_lanes positions at
/// once.
struct RowLanes {
  int row_lanes;
  int lane;  ///< within the row
  bool active;
};

/// What a lane holds of an online softmax: per head the highest score, and the exponentials and weighted values below it.
struct Partial {
  float maximum[kHeads];
  float total[kHeads];
  float sums[kHeads][8];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      maximum[h] = kNoMaximum;
      total[h] = 0;
#pragma unroll
      for (int d = 0; d < 8; ++d) sums[h][d] = 0;
    }
  }

  __device__ __forceinline__ void rescale(int h, float highest) {
    const float factor = exp2f(maximum[h] - highest);
    total[h] *= factor;
#pragma unroll
    for (int d = 0; d < 8; ++d) sums[h][d] *= factor;
  }
};

/// score[u][h] ← the scaled dot product of query h and key u, in all lanes of the row.
__device__ __forceinline__ void score_keys(const uint4 (&key)[kUnroll], const float* queries, int dim, const RowLanes& at,
                                           float (&score)[kUnroll][kHeads]) {
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    const float4* query = reinterpret_cast<const float4*>(queries + h * dim) + 2 * at.lane;
    const float4 low = at.active ? query[0] : float4{};
    const float4 high = at.active ? query[1] : float4{};
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      float numbers[8];
      unpack_bf16(key[u], numbers);
      score[u][h] = ((low.x * numbers[0] + low.y * numbers[1]) + (low.z * numbers[2] + low.w * numbers[3])) +
                    ((high.x * numbers[4] + high.y * numbers[5]) + (high.z * numbers[6] + high.w * numbers[7]));
    }
  }
#pragma unroll 1
  for (int offset = at.row_lanes / 2; offset > 0; offset /= 2) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int h = 0; h < kHeads; ++h) score[u][h] += __shfl_xor_sync(0xffffffffu, score[u][h], offset);
    }
  }
}

/// Raises the maxima to the scores of the positions that exist, and turns the scores into exponentials.
template <class Exists>
__device__ __forceinline__ void weigh(float (&score)[kUnroll][kHeads], const Exists& exists, Partial& partial) {
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    float highest = partial.maximum[h];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) highest = exists(u) ? fmaxf(highest, score[u][h]) : highest;
    partial.rescale(h, highest);
    partial.maximum[h] = highest;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      score[u][h] = exists(u) ? exp2f(score[u][h] - highest) : 0.0f;
      partial.total[h] += score[u][h];
    }
  }
}

__device__ __forceinline__ void add_value(const float (&weight)[kHeads], const uint4& value, Partial& partial) {
  float numbers[8];
  unpack_bf16(value, numbers);
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
#pragma unroll
    for (int d = 0; d < 8; ++d) partial.sums[h][d] = __fmaf_rn(weight[h], numbers[d], partial.sums[h][d]);
  }
}

/// Joins the rows of each warp and leaves the warp's share in shared memory.
__device__ __forceinline__ void join_rows(Partial& partial, int dim, const RowLanes& at, float* warp_sums, float* warp_scales) {
  const int thread = body_thread();
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    float highest = partial.maximum[h];
#pragma unroll 1
    for (int offset = at.row_lanes; offset < 32; offset *= 2) highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, offset));
    partial.rescale(h, highest);
#pragma unroll 1
    for (int offset = at.row_lanes; offset < 32; offset *= 2) {
      partial.total[h] += __shfl_xor_sync(0xffffffffu, partial.total[h], offset);
#pragma unroll
      for (int d = 0; d < 8; ++d) partial.sums[h][d] += __shfl_xor_sync(0xffffffffu, partial.sums[h][d], offset);
    }
    if (thread % 32 / at.row_lanes == 0 && at.active) {
#pragma unroll
      for (int d = 0; d < 8; ++d) warp_sums[(thread / 32 * kHeads + h) * dim + at.lane * 8 + d] = partial.sums[h][d];
    }
    if (thread % 32 == 0) {
      warp_scales[(thread / 32 * kHeads + h) * 2] = highest;
      warp_scales[(thread / 32 * kHeads + h) * 2 + 1] = partial.total[h];
    }
  }
}

/// Joins the warps' shares and leaves the slice's for the merge. `first_head` counts all heads.
__device__ __forceinline__ void join_warps(const DecodeContext& decode, int first_head, int heads, int slice, const float* warp_sums,
                                           const float* warp_scales) {
  const int dim = decode.head_dim;
  for (int i = body_thread(); i < kHeads * dim; i += kBodyThreads) {
    const int h = i / dim;
    const int d = i % dim;
    if (h >= heads) continue;
    float highest = kNoMaximum;
    for (int w = 0; w < kBodyWarps; ++w) highest = fmaxf(highest, warp_scales[(w * kHeads + h) * 2]);
    float sum = 0;
    float all = 0;
    for (int w = 0; w < kBodyWarps; ++w) {
      const float rescale = exp2f(warp_scales[(w * kHeads + h) * 2] - highest);
      sum = __fmaf_rn(rescale, warp_sums[(w * kHeads + h) * dim + d], sum);
      all = __fmaf_rn(rescale, warp_scales[(w * kHeads + h) * 2 + 1], all);
    }
    const std::size_t partial = static_cast<std::size_t>(first_head + h) * decode.slices + slice;
    decode.partial_sums[partial * dim + d] = sum;
    if (d == 0) {
      decode.partial_scales[partial * 2] = highest;
      decode.partial_scales[partial * 2 + 1] = all;
    }
  }
}

}  // namespace attention_detail

/// Softmax attention of the query heads of one KV head over positions [first, first + count): leaves each head's maximum,
/// sum and weighted values (DecodeContext::partial_*) for the merge. The slice that holds the new position first writes
/// its key and value to the cache. Queries and the new key are rotated here.
///
/// A row of the cache (head_dim BF16) is read by head_dim / 8 lanes, 16 bytes each; the warps and the lane groups within
/// them take positions in turn, each with an online softmax of its own (Milakov and Gimelshein 2018), joined at the end.
/// Contract: head_dim is a multiple of 8 and at most kMaxHeadDim; count > 0.
__device__ __forceinline__ void attention(const DecodeContext& decode, int layer, int kv_head, int first, int count, float* shared) {
  using namespace attention_detail;
  const int dim = decode.head_dim;
  const int vectors = dim / 8;
  const int group_heads = decode.heads / decode.kv_heads;
  const int last = decode.kv_length - 1;
  const int end = first + count;
  const bool appends = end > last;
  const std::size_t cache = (static_cast<std::size_t>(layer) * decode.kv_heads + kv_head) * decode.kv_length * dim;
  Bf16* const keys = decode.keys + cache;
  Bf16* const values = decode.values + cache;

  const int thread = body_thread();
  const int warp = thread / 32;
  int row_lanes = 1;
  while (row_lanes < vectors) row_lanes *= 2;
  const RowLanes at{row_lanes, thread % 32 % row_lanes, thread % 32 % row_lanes < vectors};
  const int rows = 32 / row_lanes;  // positions a warp takes at once
  const int row = thread % 32 / row_lanes;

  float* const queries = shared;                                             // [kHeads][dim]
  float* const warp_sums = queries + kHeads * kMaxHeadDim;                   // [kBodyWarps][kHeads][dim]
  float* const warp_scales = warp_sums + kBodyWarps * kHeads * kMaxHeadDim;  // [kBodyWarps][kHeads][2]

  const auto position = [&](int batch, int u) { return first + ((batch * kUnroll + u) * kBodyWarps + warp) * rows + row; };
  const auto load = [&](const Bf16* rows_of, int p, int before) {
    return at.active && p < before ? reinterpret_cast<const uint4*>(rows_of + static_cast<std::size_t>(p) * dim)[at.lane] : uint4{};
  };

#pragma unroll 1
  for (int first_head = 0; first_head < group_heads; first_head += kHeads) {
    uint4 key[kUnroll];
    uint4 value[kUnroll];
    const bool append_now = appends && first_head == 0;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      key[u] = load(keys, position(0, u), append_now ? last : end);
      value[u] = load(values, position(0, u), append_now ? last : end);
    }
    load_queries(decode, kv_head * group_heads + first_head, group_heads - first_head, thread, queries);
    if (append_now) append_to_cache(decode, kv_head, keys, values);
    body_sync();

    Partial partial;
    partial.clear();
    const int batch_rows = kUnroll * kBodyWarps * rows;
    const int batches = (count + batch_rows - 1) / batch_rows;
#pragma unroll 1
    for (int batch = 0; batch < batches; ++batch) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        if (batch == 0 && append_now && position(0, u) == last) {  // the new position could not be read ahead
          key[u] = load(keys, last, end);
          value[u] = load(values, last, end);
        }
      }
      float score[kUnroll][kHeads];
      score_keys(key, queries, dim, at, score);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) key[u] = load(keys, position(batch + 1, u), end);
      weigh(
          score, [&](int u) { return position(batch, u) < end; }, partial);
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        add_value(score[u], value[u], partial);
        value[u] = load(values, position(batch + 1, u), end);
      }
    }

    join_rows(partial, dim, at, warp_sums, warp_scales);
    body_sync();
    join_warps(decode, kv_head * group_heads + first_head, group_heads - first_head, slice_at(first, decode.kv_length, decode.slices),
               warp_sums, warp_scales);
  }
}

/// attended ← the slices' partial results of one KV head's query heads, joined.
__device__ __forceinline__ void attention_merge(const DecodeContext& decode, int kv_head, int slices) {
  const int dim = decode.head_dim;
  const int group_heads = decode.heads / decode.kv_heads;
  for (int i = body_thread(); i < group_heads * dim; i += kBodyThreads) {
    const int head = kv_head * group_heads + i / dim;
    const float* scales = decode.partial_scales + static_cast<std::size_t>(head) * slices * 2;
    const float* sums = decode.partial_sums + static_cast<std::size_t>(head) * slices * dim + i % dim;
    float highest = attention_detail::kNoMaximum;
    for (int s = 0; s < slices; ++s) highest = fmaxf(highest, scales[2 * s]);
    float sum = 0;
    float total = 0;
#pragma unroll 4
    for (int s = 0; s < slices; ++s) {
      const float rescale = exp2f(scales[2 * s] - highest);
      sum = __fmaf_rn(rescale, sums[static_cast<std::size_t>(s) * dim], sum);
      total = __fmaf_rn(rescale, scales[2 * s + 1], total);
    }
    decode.attended[head * dim + i % dim] = sum / total;
  }
}

struct AttentionBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kAttention; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    attention(call.context.decode, call.first, call.second, call.third, call.fourth, call.shared());
  }
};

struct AttentionMergeBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kAttentionMerge; }
  __device__ __forceinline__ static void run(const BodyCall& call) { attention_merge(call.context.decode, call.second, call.third); }
};

}  // namespace tasktwin::gpu
