#include "gpu/problems/decode_numbers.hpp"

#include <cmath>

#include "gpu/bodies/decode_constants.hpp"

namespace tasktwin::gpu {

DecodeScales decode_scales(const DecodeProblem& problem) {
  const auto unit = [](int fan_in) { return static_cast<float>(std::sqrt(3.0 / fan_in)); };
  return {unit(problem.hidden), unit(problem.mlp), 2 * unit(1), unit(1), unit(1)};
}

DecodeSizes decode_sizes(const DecodeProblem& problem) {
  const auto product = [](auto... factors) { return (std::uint64_t{1} * ... * static_cast<std::uint64_t>(factors)); };
  return {.qkv_weights = product(problem.layers, problem.qkv_rows(), problem.hidden),
          .project_weights = product(problem.layers, problem.hidden, problem.hidden),
          .gate_up_weights = product(problem.layers, problem.mlp, 2, problem.hidden),
          .down_weights = product(problem.layers, problem.hidden, problem.mlp),
          .head_weights = product(problem.vocabulary, problem.hidden),
          .norm_weights = product(2 * problem.layers + 1, problem.hidden),
          .cache = product(problem.layers, problem.kv_heads, problem.kv_length, problem.head_dim())};
}

RopeTable rope_table(const DecodeProblem& problem) {
  RopeTable table;
  const int position = problem.kv_length - 1;
  for (int i = 0; i < problem.head_dim() / 2; ++i) {
    const double angle = position * std::pow(kRopeBase, -2.0 * i / problem.head_dim());
    table.cosines.push_back(static_cast<float>(std::cos(angle)));
    table.sines.push_back(static_cast<float>(std::sin(angle)));
  }
  return table;
}

}  // namespace tasktwin::gpu
