#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Kernels that wait for each other while they run (TaskTraits::co_resident) must all be on the device at once, or none ever ends. Says,
/// with what keeps one out, where they cannot be: their blocks do not all fit on the cores, one waits for another to end by a
/// dependency or its place in a stream, or the device runs fewer kernels at a time. Also where the design does not launch kernels.
///
/// A cooperative kernel is such a group of its own blocks.
std::optional<std::string> meeting_fault(const TaskGraph& graph, const Machine& machine, const Design& design);

/// By number: the tasks of each group in which one waits for another, or a block for another block.
std::map<int, std::vector<TaskId>> meeting_groups(const TaskGraph& graph);

}  // namespace tasktwin
