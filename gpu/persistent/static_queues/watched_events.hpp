#pragma once

#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// By TaskId, the events (Operation::kEvent) whose counters a worker looks at before it runs the task: those that the task waits for, and
/// those that these wait for in turn, as far as tasks count them down. So nobody counts an event down when another comes to zero. Empty for
/// events, and for tasks that wait for none. Throws InputError where events follow each other so that there would be too many.
std::vector<std::vector<TaskId>> watched_events(const TaskGraph& graph);

}  // namespace tasktwin::gpu
