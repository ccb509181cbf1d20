#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: control cores.

/// Which dispatcher looks after a compute core.
enum class Ownership : std::uint8_t {
  kOwned,   ///< each core has one: whole clusters, or cores, dealt out in turn
  kShared,  ///< all dispatchers look after all cores
};
template <>
struct Words<Ownership> {
  static constexpr std::array entries{
      std::pair{Ownership::kOwned, std::string_view{"owned"}},
      std::pair{Ownership::kShared, std::string_view{"shared"}},
  };
};

/// What a dispatcher does between one hand-over and the next.
enum class Loop : std::uint8_t {
  kCompleteFirst,  ///< takes in all completions it sees, resolves them, then hands over
  kInterleaved,    ///< takes in one completion, resolves it, hands over, and goes on from the next core
};
template <>
struct Words<Loop> {
  static constexpr std::array entries{
      std::pair{Loop::kCompleteFirst, std::string_view{"complete_first"}},
      std::pair{Loop::kInterleaved, std::string_view{"interleaved"}},
  };
};

/// Which cores a dispatcher polls.
enum class Sweep : std::uint8_t {
  kAllCores,   ///< all it looks after
  kBusyCores,  ///< those that hold a task
};
template <>
struct Words<Sweep> {
  static constexpr std::array entries{
      std::pair{Sweep::kAllCores, std::string_view{"all_cores"}},
      std::pair{Sweep::kBusyCores, std::string_view{"busy_cores"}},
  };
};

}  // namespace tasktwin
