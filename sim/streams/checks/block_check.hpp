#pragma once

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// Throws InputError, naming the task, if one of its blocks takes more than any core of `machine` has, if its figures are
/// not those of a block, or if there are more blocks than can be numbered.
void check_blocks(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin::sim
