#pragma once

#include "scenarios/generators/parts/matrix_vector_times.hpp"

namespace tasktwin::scenarios {

/// Groups of matrix products, each added to its group's sum: gemm(g,i) feeds add(g,i), and the adds of a group are a chain.
/// Submitted group by group as gemm, add, gemm, add, … gemm runs on matrix cores, add on vector cores.
/// 2 · groups · gemms tasks, groups · (2·gemms − 1) edges. Layer 2·i for gemm(g,i), 2·i + 1 for add(g,i).
/// Default times: an early capture on an Ascend a2a3, whose standard deviations are not known.
struct BatchedGemmParameters {
  std::int64_t groups = 250;
  std::int64_t gemms = 2;  ///< of a group
  Work gemm{.core_type = CoreType::kAic, .time = Duration{21010}};
  Work add{.core_type = CoreType::kAiv, .time = Duration{10512}};
};

TaskGraph make_batched_gemm(const BatchedGemmParameters& parameters);

}  // namespace tasktwin::scenarios
