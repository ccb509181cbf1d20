#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/program/race_check.hpp"
#include "verify/capture/spool/capture_index.hpp"
#include "verify/capture/spool/graph_definitions.hpp"

namespace tasktwin::verify {

/// One side of a race: a call, and what it does.
struct RaceSide {
  std::uint32_t correlation = 0;
  std::string what;  ///< "axpy(float const*, float*)", "memcpy", …
  std::uint32_t stream = 0;
};

/// Races between calls that do the same, once.
struct CapturedRace {
  RaceKind kind{};
  RaceSide first{};
  RaceSide second{};
  std::uint64_t address = 0;
  std::uint64_t times = 0;
};

struct CapturedRaces {
  std::vector<CapturedRace> races{};
  std::uint64_t unchecked_launches = 0;  ///< of kernels whose name does not say which parameters are pointers
};

/// Uses without a wait and uses after a free among all calls of `index` (models/program/race_check.hpp). Copies and memsets access their
/// bytes; a kernel reads the byte that each pointer among its parameters points to, and writes it too where that is not to const. What
/// kernels do within structures, or in memory after that byte, is not seen. A graph's launch does what its nodes do.
CapturedRaces captured_races(const CaptureIndex& index, const std::vector<CapturedGraph>& graphs);

}  // namespace tasktwin::verify
