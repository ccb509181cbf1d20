#pragma once

#include <string>

#include "models/task_graph.hpp"
#include "models/timeline.hpp"

namespace tasktwin::verify {

/// How a timeline looks at a glance: a row a control thread, with its role, then a row a core; a column is a slice of time,
/// at most 100 columns in all. A slice that is busy for at least half shows the letter of what takes most of it (of a
/// control thread the step, where steps were recorded, of a core the kernel), one that is touched a ':', an idle one a '.'.
/// A task on several cores is on each. Of more than `max_rows` threads or cores, evenly chosen ones are shown, and the
/// caption says so; it also counts tasks that did not come to be.
std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows = 24);

}  // namespace tasktwin::verify
