#pragma once

#include <cstdint>

#include "gpu/bodies/host_device.hpp"
#include "models/axes.hpp"

namespace tasktwin::gpu {

/// How many of the entries in a queue one take removes, at least one.
struct Portion {
  Stealing kind;       ///< off: as batch
  std::uint32_t most;  ///< batch

  TASKTWIN_HOST_DEVICE std::uint32_t operator()(std::uint32_t there) const {
    if (kind == Stealing::kOne) return 1;
    if (kind == Stealing::kHalf) return (there + 1) / 2;
    return there < most ? there : most;
  }
};

/// Up to `count`.
TASKTWIN_HOST_DEVICE inline Portion at_most(std::uint32_t count) { return {Stealing::kBatch, count}; }

}  // namespace tasktwin::gpu
