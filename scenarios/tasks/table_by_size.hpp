#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace tasktwin::scenarios {

/// What a table of values by size says of `size`: between two rows linear, beyond them the nearest. Contract: the sizes ascend, and there
/// is a row.
inline double at_size(std::span<const std::pair<std::int64_t, std::int64_t>> table, double size) {
  const auto is_below = [](const auto& row, double value) { return static_cast<double>(row.first) < value; };
  const auto after = std::lower_bound(table.begin(), table.end(), size, is_below);
  if (after == table.end()) return static_cast<double>(table.back().second);
  if (after == table.begin()) return static_cast<double>(after->second);
  const auto& [low, value] = *(after - 1);
  const double share = (size - static_cast<double>(low)) / static_cast<double>(after->first - low);
  return static_cast<double>(value) + share * static_cast<double>(after->second - value);
}

}  // namespace tasktwin::scenarios
