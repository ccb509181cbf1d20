#pragma once

#include <span>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// `graph` with such priorities that the task order `priority` takes the task with the lowest of `ranks` (by TaskId) first, and equal ones
/// in order of arrival: an order of one's own for the simulator and for every executor. Throws InputError unless there is a number for
/// each task.
TaskGraph with_ranks(const TaskGraph& graph, std::span<const double> ranks);

}  // namespace tasktwin
