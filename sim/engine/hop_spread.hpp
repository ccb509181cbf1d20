#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/base/random.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// Random(seed).normal(), of which the latest of many seeds are at hand: the hops of a graph are drawn alike in each of its runs.
class NormalDraws {
 public:
  double operator()(std::uint64_t seed) {
    Draw& draw = draws_[seed * 0x9e3779b97f4a7c15ull >> (64 - kBits)];  // Knuth's multiplicative hash
    if (draw.seed != seed || seed == 0) draw = {seed, Random(seed).normal()};
    return draw.value;
  }

  static NormalDraws& of_thread() {
    thread_local NormalDraws draws;
    return draws;
  }

 private:
  struct Draw {
    std::uint64_t seed;  ///< 0 for none
    double value;
  };
  static constexpr int kBits = 13;
  std::array<Draw, 1 << kBits> draws_{};
};

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
    return std::max(-least, round_ns(NormalDraws::of_thread()(seed) * spread_));
  }

 private:
  Nanoseconds spread_;
  std::uint64_t key_;
};

/// A hop of `mean` on average that varies with `seed`, and never takes less than no time.
inline Duration drawn_hop(Nanoseconds mean, Nanoseconds sigma, std::uint64_t seed) {
  if (sigma == Nanoseconds{0}) return round_ns(mean);
  return round_ns(std::max(Nanoseconds{0}, mean + NormalDraws::of_thread()(seed) * sigma));
}

}  // namespace tasktwin::sim
