#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/random.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// By how much a hop differs from its mean: N(0, spread), drawn from the waiting core and what it waits for, or from any other key of a
/// hop. How far they are from each other is a matter of the card, so it is the same whatever the seed. (With hops all alike, tasks of one
/// length would keep step for ever.)
class HopSpread {
 public:
  /// `key` keeps these draws apart from all others.
  HopSpread(Nanoseconds spread, std::uint64_t key) : spread_(spread), key_(mix(key)) {}

  /// `hop` with it, and never below 0.
  Duration on(Duration hop, std::uint64_t who, std::uint64_t what) const { return hop + longer(mix(key_ ^ who) ^ what, hop); }

  /// It alone, drawn from `seed`, and never so short that a hop of `least` would take less than no time.
  Duration longer(std::uint64_t seed, Duration least) const {
    if (spread_ == Nanoseconds{0}) return Duration{0};
    return std::max(-least, round_ns(Random(seed).normal() * spread_));
  }

 private:
  Nanoseconds spread_;
  std::uint64_t key_;
};

/// A hop of `mean` on average that varies with `seed`, and never takes less than no time.
inline Duration drawn_hop(Nanoseconds mean, Nanoseconds sigma, std::uint64_t seed) {
  if (sigma == Nanoseconds{0}) return round_ns(mean);
  return round_ns(std::max(Nanoseconds{0}, mean + Random(seed).normal() * sigma));
}

}  // namespace tasktwin::sim
