#pragma once

#include "models/base/random.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// Zero, whole, or in quarters of a nanosecond, so that sums are rounded.
inline Nanoseconds random_constant(Random& random) {
  switch (random.between(0, 3)) {
    case 0:
      return Nanoseconds{0};
    case 1:
      return Nanoseconds{static_cast<double>(random.between(1, 5))};
    case 2:
      return Nanoseconds{static_cast<double>(random.between(1, 60))};
    default:
      return Nanoseconds{static_cast<double>(random.between(1, 80)) / 4};
  }
}

}  // namespace tasktwin::sim
