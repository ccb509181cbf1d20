#pragma once

#include <string>

#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

/// Gives tasks the times of a table at `path`: CSV with a column `name`, a task's name or a pattern (models/base/name_pattern.hpp), and one
/// of time_ns, time_us, time_ms and time_s. Its name counts before a pattern, of patterns the first. Kernels get bodies of that time on
/// each core they take, other operations stay. Remarks count the tasks that none means. Throws InputError with line and column for what the
/// table may not be, and for a row that means no task.
void take_times(ImportedGraph& graph, const std::string& path);

}  // namespace tasktwin::scenarios
