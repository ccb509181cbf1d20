#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/random.hpp"

namespace tasktwin::scenarios {

/// `count` distinct numbers of [0, range), in ascending order, every subset as likely (Floyd's sampling; Bentley 1987).
/// Contract: 0 <= count <= range.
inline std::vector<std::int64_t> distinct(Random& random, std::int64_t count, std::int64_t range) {
  std::vector<std::int64_t> drawn;
  for (std::int64_t last = range - count; last < range; ++last) {
    const std::int64_t candidate = random.between(0, last);
    const bool taken = std::ranges::find(drawn, candidate) != drawn.end();
    drawn.push_back(taken ? last : candidate);
  }
  std::ranges::sort(drawn);
  return drawn;
}

}  // namespace tasktwin::scenarios
