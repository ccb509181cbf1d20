#pragma once

#include <string>

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// A character a nanosecond, a line a core (a stream) and a dispatcher: the task's letter while its body runs, '-' from
/// received to started, '=' from ended to published, '#' while a dispatcher is busy, a bar at every tenth nanosecond above.
/// Below it a line a task with its phases in ns.
std::string gantt(const TaskGraph& graph, const Timeline& timeline);

}  // namespace tasktwin::sim
