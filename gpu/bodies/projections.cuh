#pragma once

#include "gpu/bodies/body_call.cuh"
#include "gpu/bodies/matrix_vector.cuh"

namespace tasktwin::gpu {

__device__ __forceinline__ bool first_lane() { return body_thread() % 32 == 0; }

/// Rows [first_row, first_row + rows) of the layer's stacked q, k, v projection of the normed state.
__device__ __forceinline__ void project_qkv(const DecodeContext& decode, int layer, int first_row, int rows, float* shared) {
  const int qkv_rows = (decode.heads + 2 * decode.kv_heads) * decode.head_dim;
  const std::size_t row = static_cast<std::size_t>(layer) * qkv_rows + first_row;
  float* const result = decode.qkv + first_row;
  multiply_rows<1>(decode.qkv_weights + row * decode.hidden, rows, decode.hidden, decode.normed, shared, [&](int r, float sum) {
    if (first_lane()) result[r] = sum;
  });
}

/// Rows of the attention's output projection, added to the state.
__device__ __forceinline__ void project_attended(const DecodeContext& decode, int layer, int first_row, int rows, float* shared) {
  const std::size_t row = static_cast<std::size_t>(layer) * decode.hidden + first_row;
  float* const result = decode.state + first_row;
  multiply_rows<1>(decode.project_weights + row * decode.hidden, rows, decode.hidden, decode.attended, shared, [&](int r, float sum) {
    if (first_lane()) result[r] += sum;
  });
}

/// silu(gate · x) · (up · x) for rows of both matrices, x the normed state.
__device__ __forceinline__ void gate_up(const DecodeContext& decode, int layer, int first_row, int rows, float* shared) {
  const std::size_t row = 2 * (static_cast<std::size_t>(layer) * decode.mlp + first_row);
  float* const result = decode.activated + first_row;
  float gate = 0;
  multiply_rows<2>(decode.gate_up_weights + row * decode.hidden, 2 * rows, decode.hidden, decode.normed, shared, [&](int r, float sum) {
    if (r % 2 == 0) {
      gate = sum;
    } else if (first_lane()) {
      result[r / 2] = gate / (1.0f + expf(-gate)) * sum;
    }
  });
}

/// Rows of the MLP's down projection, added to the state.
__device__ __forceinline__ void project_down(const DecodeContext& decode, int layer, int first_row, int rows, float* shared) {
  const std::size_t row = static_cast<std::size_t>(layer) * decode.hidden + first_row;
  float* const result = decode.state + first_row;
  multiply_rows<1>(decode.down_weights + row * decode.mlp, rows, decode.mlp, decode.activated, shared, [&](int r, float sum) {
    if (first_lane()) result[r] += sum;
  });
}

/// Rows of the vocabulary matrix times the normed state.
__device__ __forceinline__ void project_head(const DecodeContext& decode, int first_row, int rows, float* shared) {
  float* const result = decode.logits + first_row;
  multiply_rows<1>(decode.head_weights + static_cast<std::size_t>(first_row) * decode.hidden, rows, decode.hidden, decode.normed, shared,
                   [&](int r, float sum) {
                     if (first_lane()) result[r] = sum;
                   });
}

struct QkvBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kQkv; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    project_qkv(call.context.decode, call.first, call.second, call.third, call.shared());
  }
};

struct ProjectBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kProject; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    project_attended(call.context.decode, call.first, call.second, call.third, call.shared());
  }
};

struct GateUpBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kGateUp; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    gate_up(call.context.decode, call.first, call.second, call.third, call.shared());
  }
};

struct DownBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kDown; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    project_down(call.context.decode, call.first, call.second, call.third, call.shared());
  }
};

struct HeadBody {
  __device__ static bool is_of(Kernel kernel) { return kernel == Kernel::kHead; }
  __device__ __forceinline__ static void run(const BodyCall& call) {
    project_head(call.context.decode, call.second, call.third, call.shared());
  }
};

}  // namespace tasktwin::gpu
