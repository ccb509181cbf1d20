#pragma once

#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/peers/reading/reading_tasks.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Under peer_data `read`: on each device memory for what its tasks leave for other devices, and on each the rows of what tasks read there.
class PeerReads {
 public:
  /// `graph`: each task with its device, and bytes on edges between devices. Throws RunError.
  PeerReads(const TaskGraph& graph, int devices);

  bool reads(TaskId task) const { return first_[index(task) + 1] > first_[index(task)]; }
  PeerReadRows rows(int device) const {
    return {firsts_[static_cast<std::size_t>(device)].data(), rows_[static_cast<std::size_t>(device)].data()};
  }

 private:
  std::vector<std::uint32_t> first_;                 ///< by TaskId, and one more
  std::vector<DeviceBuffer<std::byte>> left_;        ///< by device: what its tasks leave
  std::vector<DeviceBuffer<std::uint32_t>> firsts_;  ///< by device
  std::vector<DeviceBuffer<PeerRead>> rows_;         ///< by device
};

/// Whether `task` reads bytes of a predecessor on another device.
bool reads_peers(const TaskGraph& graph, TaskId task);

}  // namespace tasktwin::gpu
