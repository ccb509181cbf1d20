#pragma once

#include <array>

#include "models/graph/problem.hpp"
#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// How an operator of a decode step becomes tasks.
enum class OperatorForm : std::uint8_t {
  kKernels,  ///< one task of `blocks` blocks, as a host launches it
  kTiles,    ///< `blocks` tasks, and an empty one that joins them, as a persistent kernel counts them
};

}  // namespace tasktwin::scenarios

namespace tasktwin {
template <>
struct Words<scenarios::OperatorForm> {
  static constexpr std::array entries{std::pair{scenarios::OperatorForm::kKernels, std::string_view{"kernels"}},
                                      std::pair{scenarios::OperatorForm::kTiles, std::string_view{"tiles"}}};
};
}  // namespace tasktwin

namespace tasktwin::scenarios {

/// The memory traffic of one decode step of a Llama-style model (batch 1), operator by operator: qkv, attention, its merge,
/// project, gate_up and down of each layer, then the head, each after the one before; norms are part of what follows them.
/// Every block of an operator streams its share of the operator's BF16 weights, or of the KV cache; a merge is empty.
/// kernels: 6·layers + 1 tasks, 6·layers edges. tiles: layers·(5·blocks + 5) + blocks tasks, 10·layers·blocks edges; a merge is
/// the join of attention.
struct DecodeKernelsParameters {
  DecodeProblem model{
      .layers = 16, .hidden = 2048, .heads = 32, .kv_heads = 8, .mlp = 8192, .vocabulary = 128256, .kv_length = 512, .slices = 1};
  int blocks = 132;
  OperatorForm form = OperatorForm::kKernels;
};

TaskGraph make_decode_kernels(const DecodeKernelsParameters& parameters);

}  // namespace tasktwin::scenarios
