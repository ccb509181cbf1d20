#pragma once

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// Throws InputError, naming the task, if one that is no kernel makes no sense, cannot run under `design`, or needs a bandwidth that
/// `machine` does not state.
void check_operations(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
