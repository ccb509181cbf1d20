#pragma once

#include <string_view>
#include <vector>

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// A spin body on one kind of core.
struct Work {
  CoreType core_type = CoreType::kAic;
  Duration time{};
  std::uint32_t sigma_ns = 0;

  Task task(std::int32_t layer) const;
};

/// Time and standard deviation of `work`; `meaning` is that of the time.
void work_parameters(ParameterTable& table, std::string_view time_name, std::string_view meaning, std::string_view sigma_name, Work& work);

/// Which cores count as matrix and as vector cores. Contract: the works of either kind have the same core type by default.
void core_type_parameters(ParameterTable& table, const std::vector<Work*>& matrix, const std::vector<Work*>& vector);

}  // namespace tasktwin::scenarios
