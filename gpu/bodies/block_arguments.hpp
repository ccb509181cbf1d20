#pragma once

#include <array>
#include <cstdint>

#include "gpu/bodies/tile_layout.hpp"
#include "models/graph/problem.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Whether the blocks of a task of that kernel, where it has several, do the work of as many tasks: block_arguments().
constexpr bool has_block_arguments(Kernel kernel) {
  return reads_rows(kernel) || kernel == Kernel::kAttention || kernel == Kernel::kAttentionMerge;
}

/// What such a block is called with (models/graph/kernel.hpp), the task's own arguments being those of its first: rows that follow each
/// other, slices of KV heads, KV heads. Contract: has_block_arguments.
inline std::array<std::int32_t, 4> block_arguments(const DecodeProblem& problem, const Task& task, int block) {
  std::array<std::int32_t, 4> args = task.args;
  if (task.kernel == Kernel::kAttention) {
    const int slice = block % problem.slices;
    args[1] += block / problem.slices;
    args[2] = slice_start(slice, problem.kv_length, problem.slices);
    args[3] = slice_start(slice + 1, problem.kv_length, problem.slices) - args[2];
  } else {
    args[1] += task.kernel == Kernel::kAttentionMerge ? block : block * args[2];
  }
  return args;
}

}  // namespace tasktwin::gpu
