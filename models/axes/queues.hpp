#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: taking from ready queues.

/// How many tasks one operation on a ready queue takes.
enum class Claim : std::uint8_t { kAll, kFixed, kGuided };
template <>
struct Words<Claim> {
  static constexpr std::array values{
      AxisValue{Claim::kAll, "all", "as many as can be used at once; one for a worker"},
      AxisValue{Claim::kFixed, "fixed", "'claim_size' tasks"},
      AxisValue{Claim::kGuided, "guided", "what is left over twice the takers, at least 'claim_size' (Polychronopoulos, Kuck 1987)"},
  };
  static constexpr auto entries = words_of(values);
};

/// How much is taken from another's ready queue when one's own has nothing.
enum class Stealing : std::uint8_t { kOff, kOne, kHalf, kBatch };
template <>
struct Words<Stealing> {
  static constexpr std::array values{
      AxisValue{Stealing::kOff, "off", "nothing"},
      AxisValue{Stealing::kOne, "one", "one task"},
      AxisValue{Stealing::kHalf, "half", "half of them"},
      AxisValue{Stealing::kBatch, "batch", "up to 'steal_batch' tasks"},
  };
  static constexpr auto entries = words_of(values);
};

/// Whom a thief tries first; models/rules/victim.hpp.
enum class Victim : std::uint8_t { kRandom, kNext, kNearest, kMostLoaded };
template <>
struct Words<Victim> {
  static constexpr std::array values{
      AxisValue{Victim::kRandom, "random", "any other, from a drawn start in drawn strides"},
      AxisValue{Victim::kNext, "next", "the one after the thief, and on from there"},
      AxisValue{Victim::kNearest, "nearest", "one after the thief, one before, two after, two before, and so on"},
      AxisValue{Victim::kMostLoaded, "most_loaded", "the one with the longest queue"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which ready tasks keep those for other types of core waiting.
enum class HeadOfLine : std::uint8_t { kByType, kStrict, kMixFirst };
template <>
struct Words<HeadOfLine> {
  static constexpr std::array values{
      AxisValue{HeadOfLine::kByType, "by_type", "the first task for the type of core that has room, at any place in the queue"},
      AxisValue{HeadOfLine::kStrict, "strict", "the first of all alone: until its core has room, later ones wait as well"},
      AxisValue{HeadOfLine::kMixFirst, "mix_first",
                "no task for one core while a `mix` task waits, so that cores run out of tasks until a cluster is idle"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
