#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: taking from ready queues.

/// How many tasks one operation on a ready queue takes.
enum class Claim : std::uint8_t {
  kAll,     ///< as many as can be used at once; one for a worker
  kFixed,   ///< `claim_size`
  kGuided,  ///< what is unclaimed over twice the takers, at least `claim_size` (models/rules/claim.hpp)
};
template <>
struct Words<Claim> {
  static constexpr std::array entries{
      std::pair{Claim::kAll, std::string_view{"all"}},
      std::pair{Claim::kFixed, std::string_view{"fixed"}},
      std::pair{Claim::kGuided, std::string_view{"guided"}},
  };
};

/// How much is taken from another's ready queue when one's own has nothing.
enum class Stealing : std::uint8_t {
  kOff,    ///< nothing
  kOne,    ///< one task
  kHalf,   ///< half of them
  kBatch,  ///< up to `steal_batch`
};
template <>
struct Words<Stealing> {
  static constexpr std::array entries{
      std::pair{Stealing::kOff, std::string_view{"off"}},
      std::pair{Stealing::kOne, std::string_view{"one"}},
      std::pair{Stealing::kHalf, std::string_view{"half"}},
      std::pair{Stealing::kBatch, std::string_view{"batch"}},
  };
};

/// Whom a thief tries first: models/rules/victim.hpp.
enum class Victim : std::uint8_t {
  kRandom,
  kNext,
  kNearest,
  kMostLoaded,
};
template <>
struct Words<Victim> {
  static constexpr std::array entries{
      std::pair{Victim::kRandom, std::string_view{"random"}},
      std::pair{Victim::kNext, std::string_view{"next"}},
      std::pair{Victim::kNearest, std::string_view{"nearest"}},
      std::pair{Victim::kMostLoaded, std::string_view{"most_loaded"}},
  };
};

}  // namespace tasktwin
