#pragma once

#include <variant>

#include "models/graph/own_kernels.hpp"

namespace tasktwin {

/// The matrix of a tiled Cholesky factorisation: tiles × tiles square tiles of tile_size rows, FP32.
struct CholeskyProblem {
  int tiles = 0;
  int tile_size = 0;
  friend bool operator==(const CholeskyProblem&, const CholeskyProblem&) = default;
};

/// The dimensions of a Llama-style decoder and of one decode step of it (batch 1); weights and KV cache in BF16.
struct DecodeProblem {
  int layers = 0;
  int hidden = 0;      ///< width of the residual state
  int heads = 0;       ///< query heads; head dimension = hidden / heads
  int kv_heads = 0;    ///< key/value heads; divides heads
  int mlp = 0;         ///< rows of the gate and of the up matrix
  int vocabulary = 0;  ///< rows of the head
  int kv_length = 0;   ///< positions attended to, the new one included
  int slices = 0;      ///< parts that the KV length is split into, per KV head
  int head_dim() const { return hidden / heads; }
  int qkv_rows() const { return (heads + 2 * kv_heads) * head_dim(); }
  friend bool operator==(const DecodeProblem&, const DecodeProblem&) = default;
};

/// What kernels need to know beyond their task's arguments; monostate for graphs of synthetic kernels.
using Problem = std::variant<std::monostate, CholeskyProblem, DecodeProblem, OwnKernels>;

/// The scenario's own kernel; null for one of the project's.
inline const OwnKernel* own_kernel_of(const Problem& problem, Kernel kernel) {
  return is_own(kernel) ? &std::get<OwnKernels>(problem).kernels[own_index(kernel)] : nullptr;
}

}  // namespace tasktwin
