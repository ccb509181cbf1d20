#pragma once

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Whether `design` has prologues done before what their tasks wait for is over, so that they are no part of bodies.
bool prologues_ahead(const Design& design);

/// Refuses tasks with prologue_bytes under a design that reads nothing but with bodies: InputError that names the first.
void check_prologues(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin
