#pragma once

#include <cstddef>
#include <cstdint>

#include "models/rules/attention_room.hpp"

namespace tasktwin::gpu {

class LinkedKernels;

/// The threads that run a body: threadIdx.x 0 to 255 of a block.
inline constexpr int kBodyThreads = 256;

/// Dynamic shared memory that a body may use: two Cholesky tiles of 128 × 128 floats and one more row of 128.
inline constexpr std::size_t kBodySharedBytes = (2 * 128 * 128 + 128) * sizeof(float);

/// The threads of a block that run a body, threadIdx.x from 0 on, and the dynamic shared memory that it may use.
struct BodyBlock {
  int threads = kBodyThreads;
  std::size_t shared_bytes = kBodySharedBytes;
};

/// What stream tasks read, round and round; a power of two, far beyond any cache.
inline constexpr std::uint64_t kStreamBufferBytes = std::uint64_t{4} << 30;

/// The longest vector that matrix rows are multiplied with: it is held in shared memory.
inline constexpr int kMaxColumns = 32768;
static_assert(kMaxColumns * sizeof(float) <= kBodySharedBytes);

/// Of the dynamic shared memory of kernels that launch others, the part that these keep in front of their bodies'.
inline constexpr std::uint32_t kInFrontOfBody = 512;

using rules::kMaxHeadDim;

/// Bits of a bfloat16 number.
using Bf16 = std::uint16_t;

/// The lower triangle of tiles (cholesky_tile_index), each column-major: entry (row, column) at column · tile_size + row.
struct CholeskyContext {
  float* tiles;
};

/// One decode step; all matrices row-major without padding. The shapes' letters: models/graph/problem.hpp.
struct DecodeContext {
  int layers;
  int hidden;
  int heads;
  int kv_heads;
  int head_dim;
  int mlp;
  int vocabulary;
  int kv_length;
  int slices;
  const Bf16* qkv_weights;      ///< [layers][qkv_rows][hidden]: q heads, k heads, v heads
  const Bf16* project_weights;  ///< [layers][hidden][hidden]
  const Bf16* gate_up_weights;  ///< [layers][mlp][2][hidden]: each gate row before its up row
  const Bf16* down_weights;     ///< [layers][hidden][mlp]
  const Bf16* head_weights;     ///< [vocabulary][hidden]
  const float* norm_weights;    ///< [2 layers + 1][hidden]: before attention, before the MLP, …, before the head
  const float* rope_cos;        ///< [head_dim / 2], at the new position kv_length − 1
  const float* rope_sin;
  Bf16* keys;             ///< [layers][kv_heads][kv_length][head_dim], rotated
  Bf16* values;           ///< likewise, not rotated
  float* state;           ///< [hidden]: the residual state
  float* normed;          ///< [hidden]
  float* qkv;             ///< [qkv_rows]
  float* partial_sums;    ///< [heads][slices][head_dim]: Σ 2^(score − maximum) · value
  float* partial_scales;  ///< [heads][slices][2]: maximum (of scores · log2 e), Σ 2^(score − maximum)
  float* attended;        ///< [hidden]
  float* activated;       ///< [mlp]
  float* logits;          ///< [vocabulary]
};

/// A spinning body turns nanoseconds into cycles without waiting for a division or a floating-point number.
inline constexpr int kCycleScaleBits = 20;

/// Everything the bodies of one graph work on: device pointers and dimensions, passed to kernels by value.
struct BodyContext {
  std::uint64_t scaled_cycles_per_ns;  ///< of the SM clock, times 2^kCycleScaleBits; 0 where no task spins, nor has a prologue
  const void* stream_buffer;           ///< kStreamBufferBytes that never change; null where no task streams
  CholeskyContext cholesky;
  DecodeContext decode;
  const LinkedKernels* linked;  ///< of the host: kernels that have the bodies of the scenario's own linked in; null where it has none
};

}  // namespace tasktwin::gpu
