#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

/// By TaskId, 0, 1, …: the layers that the tasks state, if every edge leads to a higher one, else the number of tasks on the
/// longest path to each. No layer is empty.
std::vector<std::size_t> layers_of(const TaskGraph& graph);

/// Puts the tasks of each list into the order of their layers; those of one layer keep theirs.
void sort_by_layer(FrozenSchedule& lists, std::span<const std::size_t> layers);

}  // namespace tasktwin
