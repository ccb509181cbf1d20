#pragma once

#include <string>
#include <string_view>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::scenarios {

/// Reads a timeline that `tasktwin simulate --timeline` or `run --timeline` wrote of the same graph: RFC 4180, a header and a
/// row a task in any order. Empty phases, cores and dispatchers, and tasks without a row, are absent; the type of a
/// core is that of the tasks it ran. Throws InputError with file:line:column for anything else: another header, a task
/// that `graph` has not, or has by another name, kernel or core type, a second row of a task, values that are no
/// whole numbers, and times that are out of order or too far off (models/run/phase_order.hpp).
Timeline read_timeline_csv(const std::string& path, const TaskGraph& graph);

/// The same from text; `file` is what messages call it.
Timeline parse_timeline_csv(const std::string& file, std::string_view text, const TaskGraph& graph);

}  // namespace tasktwin::scenarios
