#pragma once

#include <optional>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Whether workers that take tasks for themselves cannot arrange the task: it is for a cluster, or for several cores that start together.
bool beyond_workers(const TaskGraph& graph, const Machine& machine, const Design& design, TaskId task);

/// The first such task of `graph`, where `design` has such workers; nothing where it has none, or there is none.
std::optional<TaskId> first_beyond_workers(const TaskGraph& graph, const Machine& machine, const Design& design);

/// Whether control cores hand out all tasks in place of the workers, by fallback `run`.
bool falls_back(const TaskGraph& graph, const Machine& machine, const Design& design);

/// What a run of `graph` is under: `design` itself or, by its fallback `run`, one of dispatchers on control cores with the same name, graph
/// building, order, gang and flushing, which hand out as those of an Ascend runtime do (ascend-host-built).
Design design_of_run(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
