#pragma once

#include <string>
#include <vector>

#include "scenarios/generators.hpp"

namespace tasktwin::scenarios {

/// A spin body on one kind of core.
struct Work {
  CoreType core_type = CoreType::kAic;
  Duration time{};
  std::uint32_t sigma_ns = 0;

  Task task(std::int32_t layer) const;
};

/// Published time of one kernel.
struct WorkDefault {
  std::string_view time_name;   ///< such as "qk_time_ns"
  std::string_view sigma_name;  ///< such as "qk_sigma_ns"
  std::string_view meaning;     ///< of the time
  std::int64_t time_ns = 0;
  std::int64_t sigma_ns = 0;
};

/// `own`, time and standard deviation of each of `works`, and which cores count as matrix and as vector cores.
std::vector<Parameter> with_works(std::vector<Parameter> own, std::span<const WorkDefault> works);

Work matrix_work(const ParameterValues& values, const WorkDefault& work);
Work vector_work(const ParameterValues& values, const WorkDefault& work);

}  // namespace tasktwin::scenarios
