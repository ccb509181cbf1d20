#pragma once

#include <array>
#include <span>
#include <string_view>

#include "models/graph/task_graph.hpp"

namespace tasktwin::verify {

/// A family of graphs of empty kernels; calibration runs none of them.
struct LaunchShape {
  std::string_view name;
  TaskGraph (*make)(int nodes);  ///< Contract: 4 nodes or more.
};

/// chain; fork (one before all others); join (one after all others); fork-join (both); wide (no edges); layers (as many layers as each
/// has nodes, or more; every node waits for two of the layer before).
std::span<const LaunchShape> launch_shapes();

inline constexpr std::array kLaunchSizes{32, 256, 1024};  ///< nodes, of every shape

}  // namespace tasktwin::verify
