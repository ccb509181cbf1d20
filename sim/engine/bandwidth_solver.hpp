#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"

namespace tasktwin::sim {

/// Which solver divides the memory's bandwidth among bodies; links are always SimGrid's.
enum class BandwidthSolver : std::uint8_t {
  kVirtualTime,  ///< MemoryBandwidth
  kSimGrid,      ///< the engine's own: SolverBandwidth, some twenty times slower
};

}  // namespace tasktwin::sim

template <>
struct tasktwin::Words<tasktwin::sim::BandwidthSolver> {
  static constexpr std::array entries{
      std::pair{tasktwin::sim::BandwidthSolver::kVirtualTime, std::string_view{"virtual_time"}},
      std::pair{tasktwin::sim::BandwidthSolver::kSimGrid, std::string_view{"simgrid"}},
  };
};
