#pragma once

#include <cstdint>

namespace tasktwin::rules {

/// Warps of a resident worker in addition to those that run bodies: one fetches tasks, one publishes completions.
inline constexpr int kFurtherWarps = 2;

/// Bytes of shared memory that it has beside those of its bodies, at most: what it has read ahead of its list, and barriers.
inline constexpr std::int64_t kWorkerBlockBytes = 8704;

}  // namespace tasktwin::rules
