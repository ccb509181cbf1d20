#pragma once

#include "models/task_graph.hpp"
#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// The tasks written out in `list` (graph.tasks of a document that has passed the schema), TaskIds in the order written.
/// Throws InputFaults, each at its place, for a duplicate name, an edge to nothing, a predecessor listed twice, a missing cost or
/// one the kernel cannot execute, a width or a second core type that contradicts the first. A cycle is left for build() to find.
TaskGraphBuilder listed_tasks(const Document& document, const Node& list);

}  // namespace tasktwin::scenarios
