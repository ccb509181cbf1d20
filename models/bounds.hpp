#pragma once

#include <span>
#include <vector>

#include "models/machine.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// The longest path from each task to the end of the graph, its own duration included, by TaskId (HEFT's upward rank
/// without communication; Topcuoglu, Hariri, Wu 2002).
std::vector<Duration> bottom_levels(const TaskGraph& graph, std::span<const Duration> durations);

/// The tasks of a longest path, first to last. Empty for an empty graph.
std::vector<TaskId> critical_path(const TaskGraph& graph, std::span<const Duration> durations);

/// Times that no schedule of the graph's bodies can beat (Graham 1966), whatever the scheduler costs.
struct Bounds {
  Duration critical_path{};
  Duration area{};    ///< the busiest core type's total work over the number of its cores
  Duration memory{};  ///< all bytes at the full memory bandwidth

  Duration highest() const;
};

/// `cores` are the compute cores that may take tasks (design.hpp: worker_cores); durations by TaskId, on an otherwise idle machine.
Bounds lower_bounds(const TaskGraph& graph, const Machine& machine, std::span<const CoreType> cores, std::span<const Duration> durations);

}  // namespace tasktwin
