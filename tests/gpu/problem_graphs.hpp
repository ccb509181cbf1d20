#pragma once

#include <string>

#include "scenarios/generators/cholesky.hpp"
#include "scenarios/generators/llama_decode.hpp"

namespace tasktwin::gpu {

/// A decode step whose tiles divide nothing evenly.
inline TaskGraph uneven_decode(const DecodeProblem& model) {
  return scenarios::make_llama_decode(
      {.model = model, .qkv_rows = 24, .project_rows = 13, .gate_up_rows = 11, .down_rows = 16, .head_rows = 7});
}

/// One as grids, whose blocks are tiles.
inline TaskGraph decode_in_grids() {
  return scenarios::make_llama_decode(
      {.model = {.layers = 2, .hidden = 64, .heads = 8, .kv_heads = 2, .mlp = 96, .vocabulary = 40, .kv_length = 12, .slices = 3},
       .qkv_rows = 8,
       .project_rows = 16,
       .gate_up_rows = 32,
       .down_rows = 8,
       .head_rows = 10,
       .grids = true});
}

inline TaskGraph one_task(const Task& task, const Problem& problem = {}) {
  TaskGraphBuilder builder;
  builder.set_problem(problem);
  builder.add_task("a", task);
  return std::move(builder).build();
}

/// Dimensions that reach the bodies' corners: grouped and single heads, one position, head dimensions that are no power of
/// two, more heads a group than one pass takes, rows longer than one round of loads.
inline const DecodeProblem kDecodeCases[] = {
    {.layers = 2, .hidden = 64, .heads = 8, .kv_heads = 2, .mlp = 96, .vocabulary = 40, .kv_length = 11, .slices = 3},
    {.layers = 1, .hidden = 64, .heads = 8, .kv_heads = 8, .mlp = 96, .vocabulary = 33, .kv_length = 1, .slices = 1},
    {.layers = 2, .hidden = 480, .heads = 6, .kv_heads = 1, .mlp = 200, .vocabulary = 50, .kv_length = 70, .slices = 4},
    {.layers = 1, .hidden = 2048, .heads = 8, .kv_heads = 2, .mlp = 4104, .vocabulary = 17, .kv_length = 600, .slices = 2},
    {.layers = 2, .hidden = 320, .heads = 8, .kv_heads = 1, .mlp = 64, .vocabulary = 20, .kv_length = 37, .slices = 5},
};

}  // namespace tasktwin::gpu
