#pragma once

#include <optional>
#include <string>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// Where nothing is left to happen and tasks have not ended: how many, and for the first few what they wait for.
std::optional<std::string> standstill(const TaskGraph& graph, const Timeline& timeline);

/// Throws RunError with that.
void check_finished(const TaskGraph& graph, const Timeline& timeline);

}  // namespace tasktwin::sim
