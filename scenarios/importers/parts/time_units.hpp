#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tasktwin::scenarios {

/// Why a table with two columns that ns_of_column() knows is refused.
inline constexpr std::string_view kSeveralTimes =
    "the header has several columns of time; one of time_ns, time_us, time_ms and time_s is right";

/// The units of times in foreign files, and nanoseconds in each.
inline constexpr std::array kTimeUnits{std::pair{std::string_view{"ns"}, 1.0}, std::pair{std::string_view{"us"}, 1e3},
                                       std::pair{std::string_view{"ms"}, 1e6}, std::pair{std::string_view{"s"}, 1e9}};

/// nullopt for no unit.
constexpr std::optional<double> ns_of_unit(std::string_view word) {
  for (const auto& [unit, ns] : kTimeUnits) {
    if (unit == word) return ns;
  }
  return std::nullopt;
}

/// Of a column of times by its name, "time_us"; nullopt for another column.
constexpr std::optional<double> ns_of_column(std::string_view name) {
  constexpr std::string_view kBefore = "time_";
  return name.starts_with(kBefore) ? ns_of_unit(name.substr(kBefore.size())) : std::nullopt;
}

}  // namespace tasktwin::scenarios
