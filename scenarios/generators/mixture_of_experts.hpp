#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Layers of a mixture of experts. Tokens come in groups, each with a router; what all routers chose is brought together, each expert
/// works through its tokens in tiles, and when all have, each group is combined and continues to the next layer. Every token goes to
/// `top_k` experts. Their shares follow Zipf's law: the r-th expert has a share in proportion to r^−(skew_percent / 100), by largest
/// remainder; which expert is the r-th is drawn, layer by layer.
/// With G groups and T tiles (the sum over the experts of ⌈its tokens / tile⌉): layers · (2G + 2 + T) tasks and
/// layers · (2G + 2T) + (layers − 1) · G edges.
struct MixtureOfExpertsParameters {
  std::int64_t layers = 4;
  std::int64_t tokens = 1024;
  std::int64_t group = 64;
  std::int64_t experts = 64;
  std::int64_t top_k = 2;
  std::int64_t skew_percent = 80;
  std::int64_t tile = 16;
  std::int64_t token_flops = 100'000;  ///< of one token in one expert
  Duration router_time{2000};          ///< of a group
  Duration combine_time{2000};         ///< of a group
};

/// Tokens by rank of the expert; they sum up to tokens · top_k.
std::vector<std::int64_t> tokens_by_rank(const MixtureOfExpertsParameters& parameters);

TaskGraph make_mixture_of_experts(const MixtureOfExpertsParameters& parameters, std::uint64_t seed);
GraphSize mixture_of_experts_size(const MixtureOfExpertsParameters& parameters);

}  // namespace tasktwin::scenarios
