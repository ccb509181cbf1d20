#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/problem.hpp"

namespace tasktwin::gpu {

/// Scales of the hashed tensors: activations stay near 1 in every layer, and attention is neither flat nor a single position.
struct DecodeScales {
  float hidden_weights;  ///< rows of `hidden` weights: √(3 / hidden), so that unit inputs give unit outputs
  float mlp_weights;     ///< rows of `mlp` weights
  float keys;            ///< 2 √3: scores with a standard deviation of 2
  float values;          ///< √3: unit variance
  float state;           ///< √3
};
DecodeScales decode_scales(const DecodeProblem& problem);

/// Numbers of entries of the tensors in DecodeContext.
struct DecodeSizes {
  std::uint64_t qkv_weights;
  std::uint64_t project_weights;
  std::uint64_t gate_up_weights;
  std::uint64_t down_weights;
  std::uint64_t head_weights;
  std::uint64_t norm_weights;
  std::uint64_t cache;  ///< keys; as many values
};
DecodeSizes decode_sizes(const DecodeProblem& problem);

/// Cosines and sines of the angles by which the new position's components turn (bodies/decode_constants.hpp).
struct RopeTable {
  std::vector<float> cosines;
  std::vector<float> sines;
};
RopeTable rope_table(const DecodeProblem& problem);

}  // namespace tasktwin::gpu
