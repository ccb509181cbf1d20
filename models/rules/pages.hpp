#pragma once

#include "models/base/host_device.hpp"

namespace tasktwin::rules {

/// Pages of a worker, where it has any: with fewer none could be loaded while another is read, and each has two barriers.
inline constexpr int kFewestPages = 2;
inline constexpr int kMostPages = 16;

/// Query heads of a KV head that one pass over its keys and values serves.
inline constexpr int kPassHeads = 4;

/// Whether attention reads keys and values once, and so from pages; with more heads it reads them several times, from memory.
TASKTWIN_HOST_DEVICE constexpr bool pages_serve_attention(int heads, int kv_heads) { return heads / kv_heads <= kPassHeads; }

}  // namespace tasktwin::rules
