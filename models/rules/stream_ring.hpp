#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin::rules {

inline constexpr int kStreamPieces = 4;  ///< of 16 bytes, that a thread of kernel `stream` reads in a stage
inline constexpr int kStreamStages = 8;  ///< of the ring in shared memory by which a block of it reads

/// Shared memory of that ring for a block of that many threads, in bytes; a block with less loads a stage at a time into registers.
TASKTWIN_HOST_DEVICE constexpr std::int64_t stream_ring_bytes(int threads) {
  return std::int64_t{16} * kStreamPieces * kStreamStages * threads;
}

/// Bytes that a block of that many threads and that much shared memory has in flight: it waits for a stage of the ring while it asks for
/// another.
TASKTWIN_HOST_DEVICE constexpr std::int64_t stream_under_way(int threads, std::int64_t shared_memory) {
  const std::int64_t ring = stream_ring_bytes(threads);
  return shared_memory >= ring ? ring / kStreamStages * (kStreamStages - 2) : ring / kStreamStages;
}

}  // namespace tasktwin::rules
