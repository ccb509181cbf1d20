#pragma once

#include <algorithm>
#include <cstdint>

#include "models/machine.hpp"
#include "models/random.hpp"

namespace tasktwin::sim {

/// By how much a hop differs from its mean: N(0, spread), drawn from who waits and for what. How far they are from each other is a matter
/// of the card, so it is the same whatever the seed. (With hops all alike, tasks of one length would keep step for ever.)
class HopSpread {
 public:
  /// `key` keeps these draws apart from all others.
  HopSpread(Nanoseconds spread, std::uint64_t key) : spread_(spread), key_(mix(key)) {}

  /// `hop` with it, and never below 0.
  Duration on(Duration hop, std::uint64_t who, std::uint64_t what) const {
    if (spread_ == Nanoseconds{0}) return hop;
    Random random(mix(key_ ^ who) ^ what);
    return std::max(Duration{0}, hop + round_ns(random.normal() * spread_));
  }

 private:
  Nanoseconds spread_;
  std::uint64_t key_;
};

}  // namespace tasktwin::sim
