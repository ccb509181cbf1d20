#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/run/device_task.hpp"
#include "gpu/run/run_options.hpp"
#include "models/graph/told_edges.hpp"

namespace tasktwin::gpu {

/// What a design's workers make of events (Operation::kEvent).
enum class EventUse : std::uint8_t {
  kPassed,   ///< the thread that counts one down to zero counts down what waits for it
  kWatched,  ///< who waits for one looks at its counter (watched_events): nobody counts down for it
  kRaised,   ///< the same, and its counter ends where a flag is raised, one below zero
};

/// A task graph in device memory. Counters are found, and successors named, by place: the TaskId, unless a design whose
/// workers look at the counters of tasks that follow each other wants those side by side. Events are tasks whose places come after all
/// others'.
struct DeviceGraph {
  /// `places` by TaskId; empty where a task's place is its id. `durations` by TaskId, for DeviceTask::expected_ns. Contract: events have
  /// the last places (events_last). Edges that are not `told` are checked alone.
  DeviceGraph(const TaskGraph& graph, const RunOptions& options, std::vector<std::uint32_t> places = {},
              std::span<const Duration> durations = {}, EventUse events = EventUse::kPassed, const ToldEdges& told = {});

  std::uint32_t first_event() const { return static_cast<std::uint32_t>(host_tasks.size()) - events; }  ///< its place
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
  std::uint32_t events = 0;                        ///< how many

  /// How a run begins where tasks spawn others, by place; empty where none does.
  struct BeforeSpawning {
    DeviceBuffer<DeviceTask> tasks;      ///< those that are to be spawned absent: zero, their kernel none that there is
    DeviceBuffer<DeviceTask> templates;  ///< all tasks
    DeviceBuffer<std::uint32_t> counts;  ///< the counters: 0 for those that are to be spawned
    std::uint32_t created = 0;           ///< tasks that are there and no events
  };
  std::optional<BeforeSpawning> before_spawning;
};

/// Places of a graph's tasks in the order of their ids, with the events after all others; empty where it has none.
std::vector<std::uint32_t> events_last(const TaskGraph& graph);

}  // namespace tasktwin::gpu
