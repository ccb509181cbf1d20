#pragma once

#include "models/design.hpp"
#include "models/machine.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::sim {

/// Throws InputError, naming the task, if one that is no kernel makes no sense, cannot run under `design`, or needs a bandwidth that
/// `machine` does not state.
void check_operations(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
