#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tasktwin::sim {

/// Successors that the device keeps with a graph's node (inferred from an H200: behind a node with seven the next one comes later by
/// graph_fetch).
inline constexpr std::size_t kNodeSuccessors = 6;

/// How many threads of a warp launch kernels side by side, and how many warps of one block.
inline constexpr std::size_t kWarpLaunches = 32;
inline constexpr std::size_t kBlockWarps = 8;

/// How many times a graph of so many nodes with predecessors is twice as large as one whose data stay near the host's core, for the calls
/// that launch it. (On the host of an H200 such a node takes the call 7 ns in a graph of 364 nodes, 28 in one of 2600 and 43 in one of
/// 10545.)
inline double graph_doublings(std::size_t inner) {
  constexpr double kNear = 256;
  return inner > 0 ? std::max(0.0, std::log2(static_cast<double>(inner) / kNear)) : 0;
}

}  // namespace tasktwin::sim
