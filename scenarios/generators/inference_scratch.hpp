#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Requests of different lengths, each of which allocates scratch memory, runs a kernel and frees it: alloc → kernel → free, request i in
/// stream i modulo the design's. Lengths are uniform; bytes and time are proportional to them. 3 · requests tasks, 2 · requests
/// edges.
struct InferenceScratchParameters {
  std::int64_t requests = 4000;
  std::int64_t min_length = 16;
  std::int64_t max_length = 2048;
  std::int64_t bytes_per_token = 16'384;
  std::int64_t time_per_token_ns = 10;
};

TaskGraph make_inference_scratch(const InferenceScratchParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
