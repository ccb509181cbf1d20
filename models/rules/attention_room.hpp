#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"
#include "models/rules/pages.hpp"

namespace tasktwin::rules {

/// A row of the KV cache is read by 16 bytes a lane of one warp.
inline constexpr int kMaxHeadDim = 256;

/// Shared memory of an attention body of `warps` warps, in bytes: the queries of a pass, and of each warp its sums, maxima and totals.
TASKTWIN_HOST_DEVICE constexpr std::int64_t attention_bytes(int warps) {
  return std::int64_t{4} * kPassHeads * ((1 + warps) * kMaxHeadDim + 2 * warps);
}

}  // namespace tasktwin::rules
