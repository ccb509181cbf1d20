#pragma once

#include <vector>

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// The body that every task of a synthetic graph has. A kernel takes exactly the cost it can execute on a real core:
/// spin time_ns and sigma_ns, fma flops, stream bytes, empty none.
struct Body {
  Kernel kernel = Kernel::kSpin;
  CoreType core_type = CoreType::kSm;
  Cost cost{.time = Duration{1000}};

  Task task(std::int32_t layer = 0) const;
};

/// The kernels that need no data but their cost.
std::vector<std::string_view> synthetic_kernels();

/// The parameters of a Body. Throws ParameterError for a cost that the kernel lacks or cannot execute.
void body_parameters(ParameterTable& table, Body& body);
void core_type_parameter(ParameterTable& table, CoreType& core_type);

/// Which fields of a cost a file gives.
struct GivenCost {
  bool time = false;
  bool sigma = false;
  bool flops = false;
  bool bytes = false;
};
struct CostFault {
  std::string_view field;
  std::string message;
};

/// Every field that `kernel` cannot execute, or needs and lacks.
std::vector<CostFault> cost_faults(Kernel kernel, const GivenCost& given);

}  // namespace tasktwin::scenarios
