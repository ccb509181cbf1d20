#pragma once

#include <array>

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// The dependence patterns of Task Bench (Slaughter et al., SC 2020): point i of step t waits, of step t − 1, for …
enum class Pattern : std::uint8_t {
  kTrivial,   ///< nothing
  kStencil,   ///< i − 1, i, i + 1
  kFft,       ///< i − 2^d, i, i + 2^d, with d = (t − 1) mod ceil(log2 width)
  kTree,      ///< i / 2; step t has min(width, 2^t) points
  kRandom,    ///< `predecessors` distinct random points
  kAllToAll,  ///< all
};

}  // namespace tasktwin::scenarios

namespace tasktwin {
template <>
struct Words<scenarios::Pattern> {
  using P = scenarios::Pattern;
  static constexpr std::array entries{
      std::pair{P::kTrivial, std::string_view{"trivial"}}, std::pair{P::kStencil, std::string_view{"stencil"}},
      std::pair{P::kFft, std::string_view{"fft"}},         std::pair{P::kTree, std::string_view{"tree"}},
      std::pair{P::kRandom, std::string_view{"random"}},   std::pair{P::kAllToAll, std::string_view{"all_to_all"}}};
};
}  // namespace tasktwin

namespace tasktwin::scenarios {

/// A grid of `width` points by `steps` steps. Edges, for W points and T steps: trivial 0; stencil (T − 1)(3W − 2);
/// fft Σ over t of 3W − 2·min(W, 2^d(t)); tree Σ over t ≥ 1 of min(W, 2^t); random (T − 1) W min(predecessors, W);
/// all_to_all (T − 1) W². Tasks: T·W, for tree Σ over t of min(W, 2^t).
struct TaskBenchParameters {
  Pattern pattern = Pattern::kStencil;
  std::int64_t width = 100;
  std::int64_t steps = 10;
  std::int64_t predecessors = 3;  ///< where the pattern is random
  Body body;
};

GraphSize task_bench_size(const TaskBenchParameters& parameters);
TaskGraph make_task_bench(const TaskBenchParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
