#pragma once

#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// The longest path from each task to the end of the graph, its own duration included, by TaskId (HEFT's upward rank
/// without communication; Topcuoglu, Hariri, Wu 2002).
std::vector<Duration> bottom_levels(const TaskGraph& graph, std::span<const Duration> durations);

/// The tasks of a longest path, first to last. Empty for an empty graph.
std::vector<TaskId> critical_path(const TaskGraph& graph, std::span<const Duration> durations);

}  // namespace tasktwin
