#pragma once

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Throws InputError, naming the field or the task, if the bodies cannot run `graph`:
/// - a Cholesky matrix needs tiles of a multiple of 16 rows, 16 to 128;
/// - a decode step needs head_dim = hidden / heads a multiple of 8 up to 256, kv_heads dividing heads, hidden and mlp
///   multiples of 8 up to 32768, slices up to kv_length;
/// - every Cholesky or decode task needs a graph of that problem, and arguments inside it (models/graph/kernel.hpp), each of its blocks
/// too.
void check_problem(const TaskGraph& graph);

}  // namespace tasktwin::gpu
