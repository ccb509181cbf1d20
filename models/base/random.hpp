#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): a well-mixed 64-bit hash, the same with every compiler.
TASKTWIN_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A stream of pseudo-random numbers that is the same with every compiler, unlike the standard distributions.
class Random {
 public:
  TASKTWIN_HOST_DEVICE explicit constexpr Random(std::uint64_t seed) : state_(mix(seed)) {}

  TASKTWIN_HOST_DEVICE constexpr std::uint64_t next() { return mix(state_++); }
  /// Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [low, high], both included. Contract: low <= high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(uniform() * static_cast<double>(high - low + 1));
  }
  /// Standard normal (Box and Muller 1958).
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace tasktwin
