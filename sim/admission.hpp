#pragma once

#include "models/design.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::sim {

// What is refused before a run begins, each with InputError naming the machine, task or design.

/// Every constant is at least 0 and small enough for sums to stay exact.
void check_constants(const Machine& machine);

/// Every task finds the cores it needs under `design`, and the design can order tasks of its kind.
void check_tasks(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
