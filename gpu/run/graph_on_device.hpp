#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/run/device_task.hpp"
#include "gpu/run/run_options.hpp"

namespace tasktwin::gpu {

/// A task graph in device memory. Counters stand, and successors are named, by place: the TaskId, unless a design whose
/// workers look at the counters of tasks that follow each other wants those side by side.
struct DeviceGraph {
  /// `places` by TaskId; empty where a task's place is its id. `durations` by TaskId, for DeviceTask::expected_ns.
  DeviceGraph(const TaskGraph& graph, const RunOptions& options, std::vector<std::uint32_t> places = {},
              std::span<const Duration> durations = {});

  std::uint32_t place(std::size_t task) const { return places.empty() ? static_cast<std::uint32_t>(task) : places[task]; }

  /// host_tasks by place.
  std::vector<DeviceTask> tasks_by_place() const;

  std::vector<std::uint32_t> places;
  std::vector<DeviceTask> host_tasks;      ///< by TaskId
  DeviceBuffer<DeviceTask> tasks;          ///< by TaskId
  DeviceBuffer<std::uint32_t> successors;  ///< compressed rows, of places; with kSpawned where the row's task spawns the successor
  DeviceBuffer<std::uint32_t> predecessors;
  DeviceBuffer<std::uint32_t> predecessor_counts;  ///< by place: what each task waits for
  std::vector<std::uint32_t> roots;                ///< TaskIds that wait for nothing
  std::uint32_t blocks_of_wide = 0;                ///< blocks of the tasks that have several, together

  /// How a run begins where tasks spawn others, by place; empty where none does.
  struct BeforeSpawning {
    DeviceBuffer<DeviceTask> tasks;      ///< those that are to be spawned absent: zero, their kernel none that there is
    DeviceBuffer<DeviceTask> templates;  ///< all tasks
    DeviceBuffer<std::uint32_t> counts;  ///< the counters: 0 for those that are to be spawned
    std::uint32_t created = 0;           ///< tasks that are there
  };
  std::optional<BeforeSpawning> before_spawning;
};

}  // namespace tasktwin::gpu
