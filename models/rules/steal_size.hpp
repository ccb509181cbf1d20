#pragma once

#include <cstdint>

#include "models/axes/queues.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::rules {

/// How many of the entries of another's queue a theft takes: as models/axes/queues.hpp says, and of a half that is not whole the larger
/// one, so that it is never none.
struct StealSize {
  Stealing kind;
  std::uint32_t batch;  ///< Design::steal_batch

  /// Contract: `there` > 0.
  TASKTWIN_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t there) const {
    switch (kind) {
      case Stealing::kOff:
        return 0;
      case Stealing::kOne:
        return 1;
      case Stealing::kHalf:
        return (there + 1) / 2;
      case Stealing::kBatch:
        return there < batch ? there : batch;
    }
    return 0;
  }
};

}  // namespace tasktwin::rules
