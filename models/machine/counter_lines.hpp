#pragma once

#include <cstdint>

namespace tasktwin {

/// Dependency counters in a cache line of a host: 4 bytes of 64 each.
inline constexpr std::uint32_t kCountersPerLine = 16;

/// The cache lines that a processor touches as it decrements counters one after the other.
struct CounterLines {
  std::int64_t count = 0;
  std::uint32_t last = ~0u;

  /// Returns whether `counter` is in another line than the one before.
  bool visit(std::uint32_t counter) {
    const std::uint32_t line = counter / kCountersPerLine;
    if (line == last) return false;
    last = line;
    ++count;
    return true;
  }
};

}  // namespace tasktwin
