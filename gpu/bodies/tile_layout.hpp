#pragma once

#include <cstddef>

#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// Position of tile (row, column), row >= column, in the packed lower triangle.
TASKTWIN_HOST_DEVICE constexpr std::size_t cholesky_tile_index(int row, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(row + 1) / 2 + static_cast<std::size_t>(column);
}

/// The slice that starts at `first_position` where `kv_length` positions are split into `slices`, the first ones longer
/// by one. Contract: slices <= kv_length, and a slice starts there.
TASKTWIN_HOST_DEVICE constexpr int slice_at(int first_position, int kv_length, int slices) {
  const int length = kv_length / slices;
  const int longer = kv_length % slices;
  const int boundary = longer * (length + 1);
  return first_position < boundary ? first_position / (length + 1) : longer + (first_position - boundary) / length;
}

/// Where slice `slice` starts; slice_start(slices, …) is kv_length.
TASKTWIN_HOST_DEVICE constexpr int slice_start(int slice, int kv_length, int slices) {
  const int longer = kv_length % slices;
  return slice * (kv_length / slices) + (slice < longer ? slice : longer);
}

}  // namespace tasktwin::gpu
