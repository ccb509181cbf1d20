#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device_buffer.hpp"
#include "gpu/device_task.hpp"
#include "gpu/executor.hpp"

namespace tasktwin::gpu {

/// A task graph in device memory.
struct DeviceGraph {
  DeviceGraph(const TaskGraph& graph, const RunOptions& options);

  std::vector<DeviceTask> host_tasks;      ///< by TaskId
  DeviceBuffer<DeviceTask> tasks;          ///< by TaskId
  DeviceBuffer<std::uint32_t> successors;  ///< compressed rows
  DeviceBuffer<std::uint32_t> successor_offsets;
  DeviceBuffer<std::uint32_t> predecessors;
  DeviceBuffer<std::uint32_t> predecessor_counts;  ///< by TaskId: what each task waits for
  std::vector<std::uint32_t> roots;                ///< TaskIds that wait for nothing
};

}  // namespace tasktwin::gpu
