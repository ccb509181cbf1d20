#pragma once

#include <algorithm>
#include <cstddef>

#include "models/design.hpp"

namespace tasktwin::sim {

/// How many of the `there` tasks of a queue a thief takes, at least one. Contract: `there` > 0, and the design steals.
inline std::size_t loot_size(const Design& design, std::size_t there) {
  if (design.stealing == Stealing::kHalf) return (there + 1) / 2;
  if (design.stealing == Stealing::kBatch) return std::min(there, static_cast<std::size_t>(design.steal_batch));
  return 1;
}

}  // namespace tasktwin::sim
