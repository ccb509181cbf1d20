#pragma once

#include "gpu/bodies/attention.cuh"
#include "gpu/bodies/page_copies.hpp"
#include "gpu/bodies/pages.cuh"
#include "models/rules/pages.hpp"

namespace tasktwin::gpu {

static_assert(attention_detail::kHeads == rules::kPassHeads);
static_assert(sizeof(float) * attention_detail::kHeads * ((1 + kBodyWarps) * kMaxHeadDim + 2 * kBodyWarps) ==
              rules::attention_bytes(kBodyWarps));

/// attention() with the positions before the new one from pages: in each, the keys of that many positions and after them their values.
/// Contract: rules::pages_serve_attention().
__device__ __forceinline__ void paged_attention(const DecodeContext& decode, int layer, int kv_head, int first, int count, float* shared,
                                                PageCursor& pages) {
  using namespace attention_detail;
  const int dim = decode.head_dim;
  const int vectors = dim / 8;
  const int group_heads = decode.heads / decode.kv_heads;
  const int last = decode.kv_length - 1;
  const bool appends = first + count > last;
  const int read = appends ? count - 1 : count;
  const std::size_t cache = (static_cast<std::size_t>(layer) * decode.kv_heads + kv_head) * decode.kv_length * dim;
  Bf16* const keys = decode.keys + cache;
  Bf16* const values = decode.values + cache;

  const int lane = body_thread() % 32;
  const int warp = body_thread() / 32;
  int row_lanes = 1;
  while (row_lanes < vectors) row_lanes *= 2;
  const RowLanes at{row_lanes, lane % row_lanes, lane % row_lanes < vectors};
  const int rows = 32 / row_lanes;  // positions a warp takes at once
  const int row = lane / row_lanes;

  float* const queries = shared;
  float* const warp_sums = queries + kHeads * kMaxHeadDim;
  float* const warp_scales = warp_sums + kBodyWarps * kHeads * kMaxHeadDim;

  load_queries(decode, kv_head * group_heads, group_heads, body_thread(), queries);
  if (appends) append_to_cache(decode, kv_head, keys, values);
  body_sync();

  Partial partial;
  partial.clear();
  // Of the rows that exist, by their numbers from `from` on.
  const auto attend = [&](const uint4* some_keys, const uint4* some_values, int from, int end) {
    const auto position = [&](int u) { return from + u * rows + row; };
    const auto exists = [&](int u) { return position(u) < end; };
    const auto load = [&](const uint4* vectors_of, int u) {
      return at.active && exists(u) ? vectors_of[position(u) * vectors + at.lane] : uint4{};
    };
    uint4 loaded[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) loaded[u] = load(some_keys, u);
    float score[kUnroll][kHeads];
    score_keys(loaded, queries, dim, at, score);
    weigh(score, exists, partial);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) add_value(score[u], load(some_values, u), partial);
  };

  const int step = page_positions(pages.page_bytes(), dim);
  const int batch = kUnroll * rows;  // go round the warps
  int turn = warp;
#pragma unroll 1
  for (int done = 0; done < read; done += step) {
    pages.read_next([&](const std::byte* page) {
      const int here = min(step, read - done);
      const auto* const page_keys = reinterpret_cast<const uint4*>(page);
      int from = turn * batch;
#pragma unroll 1
      for (; from < here; from += kBodyWarps * batch) attend(page_keys, page_keys + here * vectors, from, here);
      turn = (turn + kBodyWarps - (here + batch - 1) / batch % kBodyWarps) % kBodyWarps;
    });
  }
  if (appends && warp == 0) {
    const std::size_t newest = static_cast<std::size_t>(last) * vectors;
    attend(reinterpret_cast<const uint4*>(keys) + newest, reinterpret_cast<const uint4*>(values) + newest, 0, 1);
  }
  join_rows(partial, dim, at, warp_sums, warp_scales);
  body_sync();
  join_warps(decode, kv_head * group_heads, group_heads, slice_at(first, decode.kv_length, decode.slices), warp_sums, warp_scales);
}

struct PagedAttentionBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kAttention; }
  __device__ __forceinline__ static void run(const BodyCall& call, PageCursor& pages) {
    if (rules::pages_serve_attention(call.context.decode.heads, call.context.decode.kv_heads)) {
      paged_attention(call.context.decode, call.first, call.second, call.third, call.fourth, call.shared(), pages);
    } else {
      AttentionBody::run(call);
    }
  }
};

}  // namespace tasktwin::gpu
