#pragma once

#include "models/base/random.hpp"
#include "models/base/units.hpp"
#include "models/design/design.hpp"

namespace tasktwin::sim {

/// How late a worker that waits notices: uniform from 0 to the design's back-off, drawn from the seed, the waiting core and
/// what it waits for, so that it does not depend on the order of events.
class Backoff {
 public:
  Backoff(const Design& design, std::uint64_t seed) : longest_(design.backoff_ns), seed_(mix(seed ^ kBackoff)) {}

  Duration draw(std::uint64_t worker, std::uint64_t what) const {
    if (longest_ == 0) return Duration{0};
    return Duration{Random(mix(seed_ ^ worker) ^ what).between(0, longest_)};
  }

 private:
  /// Keeps these draws apart from all others.
  static constexpr std::uint64_t kBackoff = 0x1a7e'0b5e'12e5;

  std::int64_t longest_;
  std::uint64_t seed_;
};

}  // namespace tasktwin::sim
