#pragma once

#include <cstdint>

#include "models/base/units.hpp"

namespace tasktwin::gpu {

/// A time stamp of the device on the run's clock; kAbsent where it is 0.
inline TimePoint from_stamp(std::uint64_t stamp, std::uint64_t origin) {
  return stamp == 0 ? kAbsent : at_ns(static_cast<std::int64_t>(stamp - origin));
}

}  // namespace tasktwin::gpu
