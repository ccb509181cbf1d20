#pragma once

#include <string>
#include <string_view>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::scenarios {

/// Reads what placement `replay` follows: a timeline (read_timeline_csv), or a table with the columns `task`, its number or its name, and
/// `core`, and where wanted `order` or `started_ns`, numbers that the tasks of a core ascend by; without these the order is that of the
/// rows. Of the latter the timeline has core and start of each task, and starts are positions in an order that dependencies allow. Throws
/// InputError with file:line:column for other columns and values, a task twice or not at all, and orders on cores that contradict
/// dependencies.
Timeline read_placement(const std::string& path, const TaskGraph& graph);

/// The same from text; `file` is what messages call it.
Timeline parse_placement(const std::string& file, std::string_view text, const TaskGraph& graph);

}  // namespace tasktwin::scenarios
