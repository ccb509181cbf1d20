#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// One decode step of a Llama-style model (batch 1), cut into tiles of rows. Defaults: Llama-3.2-1B.
struct LlamaDecodeParameters {
  DecodeProblem model{
      .layers = 16, .hidden = 2048, .heads = 32, .kv_heads = 8, .mlp = 8192, .vocabulary = 128256, .kv_length = 4096, .slices = 16};
  int qkv_rows = 24;      ///< rows of a tile of [Wq; Wk; Wv]; the last tile of every matrix may be smaller
  int project_rows = 16;  ///< of Wo
  int gate_up_rows = 64;  ///< of Wgate and of Wup
  int down_rows = 16;     ///< of Wdown
  int head_rows = 1002;   ///< of the vocabulary matrix
  bool grids = false;     ///< a task an operation of a layer, each of its blocks a tile
};

/// Tasks of a layer l, each stage after the one before: rms_norm(l,0); qkv tiles; attention(l, KV head, slice), after the qkv
/// tiles of its group's queries, and, in the slice with the newest position, of its head's key and value;
/// attention_merge(l, KV head); project tiles; rms_norm(l,1); gate_up tiles; join(l), empty, which spares gate_up × down
/// edges; down tiles. At the end rms_norm(layers,0) and the head's tiles.
/// Tasks, with Q, P, G, D, H the tiles of the matrices, K KV heads, S slices: layers·(3 + Q + K·S + K + P + G + D) + 1 + H.
/// Edges, with A those from qkv tiles to attention: layers·(Q + A + K·S + P·K + P + 2G + 2D) + H.
/// Bytes (BF16): 2 a weight, and the slice's keys and values: together every weight and the KV cache exactly once; norms and
/// merges move nothing that counts. Floating-point operations: 2 a weight, attention 4 · positions · head_dim · queries a KV head.
/// As grids: layers·8 + 2 tasks, each after the one before, without the joins; the arguments are those of a grid's first block.
TaskGraph make_llama_decode(const LlamaDecodeParameters& parameters);

GraphSize llama_decode_size(const LlamaDecodeParameters& parameters);

}  // namespace tasktwin::scenarios
