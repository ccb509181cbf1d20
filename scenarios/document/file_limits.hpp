#pragma once

#include <cstdint>

namespace tasktwin::scenarios {

/// The largest graphs that are made: a million tasks take about 100 MB while they are built.
inline constexpr std::int64_t kMaxTasks = 20'000'000;
inline constexpr std::int64_t kMaxEdges = 200'000'000;

/// Bounds of costs in files: their sums over the largest graph stay within 64 bits.
inline constexpr std::int64_t kMaxTimeNs = 100'000'000'000;
inline constexpr std::int64_t kMaxSigmaNs = 1'000'000'000;
inline constexpr std::int64_t kMaxFlops = 100'000'000'000;
inline constexpr std::int64_t kMaxBytes = 100'000'000'000;

/// More devices are not simulated.
inline constexpr int kMostDevices = 65'536;

}  // namespace tasktwin::scenarios
