#pragma once

#include <string>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// How a timeline looks at a glance: a row a control thread, with its role, then a row a core, or under streams a stream; an axis
/// in µs; and what the letters mean. A column is a slice of time, at most 100 columns in all. A slice that is busy for at least
/// half shows the letter of what takes most of it (of a control thread the step, where steps were recorded, of a core the kernel,
/// copy or the like), one that is touched a ':', an idle one a '.'. A task on several cores is on each. Threads and cores that
/// did nothing are left out; of more than `max_rows` others, evenly chosen ones are shown. The caption says so, and counts the tasks
/// that do not exist.
std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows = 24);

}  // namespace tasktwin::verify
