#pragma once

#include <string>

#include "models/task_graph.hpp"
#include "models/timeline.hpp"

namespace tasktwin::verify {

/// How a timeline looks at a glance: a row a core, a column a slice of time, at most 100 columns. A slice that bodies
/// fill at least half shows the letter of the kernel that takes most of it, one that they touch a ':', an idle one a '.'.
/// Of more cores than `max_rows`, evenly chosen ones are shown, and the caption says so.
std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows = 24);

}  // namespace tasktwin::verify
