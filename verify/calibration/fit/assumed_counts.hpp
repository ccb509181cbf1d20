#pragma once

#include "models/machine/machine.hpp"

/// Counts of the hardware and the driver that no micro-benchmark varies, as H200s have them. Micro-benchmarks are laid out by them, and
/// machines that are calibrated begin with them; why each is believed: where a mechanism assumes it.
namespace tasktwin::verify::assumed {

inline constexpr mechanism::ResidentCores kResidentCores{.lanes = 32};
inline constexpr mechanism::GraphLaunch kGraphLaunch{.near_nodes = 256, .node_successors = 6};
inline constexpr mechanism::ConditionalNodes kConditionalNodes{.polled_branches = 32};

}  // namespace tasktwin::verify::assumed
