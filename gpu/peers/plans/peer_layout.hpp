#pragma once

#include <cstddef>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Where what one copy or one rank of a collective gives and takes lies.
struct PeerPlace {
  std::size_t given = 0;  ///< offset in the memory for this of the task's device
  std::size_t taken = 0;  ///< offset in that of device `to`
  int to = 0;             ///< the device whose memory it writes: of a copy the other one, of a rank its own
  int group = -1;         ///< of PeerLayout::groups; of ranks
  int rank = 0;           ///< in it
};

/// Memory for the operations of a graph whose tasks have their devices: each has bytes of its own, so that none that runs in parallel
/// touches them. Known without CUDA.
struct PeerLayout {
  /// Contract: check_devices() has passed.
  PeerLayout(const TaskGraph& graph, int devices);

  std::vector<PeerPlace> places;         ///< by TaskId
  std::vector<std::size_t> given_bytes;  ///< by device
  std::vector<std::size_t> taken_bytes;  ///< by device
  std::vector<std::vector<int>> groups;  ///< the devices that collectives go over, by rank: ascending; each group once
};

}  // namespace tasktwin::gpu
