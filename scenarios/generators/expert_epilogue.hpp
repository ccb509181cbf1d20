#pragma once

#include "scenarios/generators/parts/matrix_vector_times.hpp"

namespace tasktwin::scenarios {

/// The experts of a layer and what follows them: route(e), on a vector core, feeds gemm(e), on a matrix core; epilogue(g) serves `group`
/// experts, on several vector cores that start together, after the products of all of these, and takes that many times as long; combine,
/// on a vector core, is after all of them. Submitted expert by expert, an epilogue after the last of its experts.
/// 2 · experts + ⌈experts / group⌉ + 1 tasks, 2 · experts + ⌈experts / group⌉ edges. Layers 0 to 3.
struct ExpertEpilogueParameters {
  std::int64_t experts = 36;
  std::int64_t group = 1;
  int blocks = 8;  ///< of an epilogue
  Work route{.core_type = CoreType::kAiv, .time = Duration{4000}, .sigma_ns = 1000};
  Work gemm{.core_type = CoreType::kAic, .time = Duration{20000}, .sigma_ns = 3000};
  Work epilogue{.core_type = CoreType::kAiv, .time = Duration{5000}, .sigma_ns = 500};  ///< of one expert
  Work combine{.core_type = CoreType::kAiv, .time = Duration{6000}, .sigma_ns = 500};
};

TaskGraph make_expert_epilogue(const ExpertEpilogueParameters& parameters);

}  // namespace tasktwin::scenarios
