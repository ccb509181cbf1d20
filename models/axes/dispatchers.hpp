#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: control cores.

/// Which dispatcher looks after a compute core.
enum class Ownership : std::uint8_t { kOwned, kShared };
template <>
struct Words<Ownership> {
  static constexpr std::array values{
      AxisValue{Ownership::kOwned, "owned", "each core has one: whole clusters, or cores, dealt out in turn"},
      AxisValue{Ownership::kShared, "shared", "all dispatchers look after all cores"},
  };
  static constexpr auto entries = words_of(values);
};

/// What a dispatcher does between one hand-over and the next.
enum class Loop : std::uint8_t { kCompleteFirst, kInterleaved };
template <>
struct Words<Loop> {
  static constexpr std::array values{
      AxisValue{Loop::kCompleteFirst, "complete_first", "takes in all completions it sees, resolves them, then hands over"},
      AxisValue{Loop::kInterleaved, "interleaved", "takes in one completion, resolves it, hands over, and continues from the next core"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which cores a dispatcher polls.
enum class Sweep : std::uint8_t { kAllCores, kBusyCores };
template <>
struct Words<Sweep> {
  static constexpr std::array values{
      AxisValue{Sweep::kAllCores, "all_cores", "all it looks after"},
      AxisValue{Sweep::kBusyCores, "busy_cores", "those that hold a task"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
