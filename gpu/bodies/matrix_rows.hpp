#pragma once

#include <cstddef>

#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/task_descriptor.hpp"
#include "models/base/host_device.hpp"
#include "models/graph/kernel.hpp"

namespace tasktwin::gpu {

/// The rows of a BF16 matrix that a task multiplies with a vector, and where its results go.
struct MatrixRows {
  const Bf16* weights;  ///< `rows` rows of `columns`, one after the other
  int rows;             ///< gate_up: of both matrices, each gate row before its up row
  int columns;
  const float* vector;
  float* results;
  bool adds;  ///< to what `results` hold
};

/// Contract: reads_rows(kernel of the task).
TASKTWIN_HOST_DEVICE inline MatrixRows matrix_rows(const TaskDescriptor& task, const DecodeContext& decode) {
  const auto at = [](int layer, int rows_a_layer, int first) { return static_cast<std::size_t>(layer) * rows_a_layer + first; };
  const int layer = task.args[0];
  const int first = task.args[1];
  const int rows = task.args[2];
  switch (static_cast<Kernel>(task.kernel)) {
    case Kernel::kQkv: {
      const int all = (decode.heads + 2 * decode.kv_heads) * decode.head_dim;
      return {decode.qkv_weights + at(layer, all, first) * decode.hidden, rows, decode.hidden, decode.normed, decode.qkv + first, false};
    }
    case Kernel::kProject:
      return {decode.project_weights + at(layer, decode.hidden, first) * decode.hidden,
              rows,
              decode.hidden,
              decode.attended,
              decode.state + first,
              true};
    case Kernel::kGateUp:
      return {decode.gate_up_weights + at(layer, decode.mlp, first) * 2 * decode.hidden,
              2 * rows,
              decode.hidden,
              decode.normed,
              decode.activated + first,
              false};
    case Kernel::kDown:
      return {decode.down_weights + at(layer, decode.hidden, first) * decode.mlp,
              rows,
              decode.mlp,
              decode.activated,
              decode.state + first,
              true};
    default:
      return {decode.head_weights + at(0, 0, first) * decode.hidden, rows, decode.hidden, decode.normed, decode.logits + first, false};
  }
}

}  // namespace tasktwin::gpu
