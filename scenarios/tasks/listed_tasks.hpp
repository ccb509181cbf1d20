#pragma once

#include <functional>
#include <span>
#include <string>

#include "models/graph/task_graph.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/tasks/stated_kernels.hpp"

namespace tasktwin::scenarios {

/// The tasks written out in `list` (graph.tasks of a document that has passed the schema), TaskIds in the order written.
/// Throws InputFaults, each at its place, for a duplicate name, an edge to nothing, a predecessor listed twice, a missing cost or
/// one the kernel cannot execute, a width or a second core type that contradicts the first. A cycle is left for build() to find.
/// `kernels` are the scenario's own, whose rows of arguments are added to.
TaskGraphBuilder listed_tasks(const Document& document, const Node& list, StatedKernels& kernels);

/// The task's place in the list: a collective is as many tasks as its group has devices, a split grid as it has blocks.
std::size_t listed_place(const Node& list, TaskId task);

/// The same of a list that no schema has seen: a program made it.
TaskGraphBuilder checked_tasks(const Node& list);

/// A task by the fields that name no other and no buffer.
struct ListedTask {
  Task task;
  TaskTraits traits;
};

/// Throws InputError for a field that is none, or that names other tasks or buffers, and InputFaults for a value that it cannot have;
/// `path` precedes the field's name.
void check_tabled_field(const std::string& field, const Node& value, const std::string& path);

/// Of a map of such fields. Throws InputError for what contradicts itself or is missing, with the path of the field. Contract: each field
/// has passed check_tabled_field, but for bounds.
ListedTask tabled_task(const Node& row, const std::string& path);

/// A field of every task, by its name in `graph.tasks`.
struct TaskColumn {
  std::string field;
  std::function<Node(std::size_t)> value;  ///< of the task of that TaskId
  bool same = false;                       ///< for all of them
};

/// `count` tasks without edges, called t0, t1, …, that have the fields of `columns`. Throws InputError for an unknown field, one that names
/// other tasks or buffers, and for what files cannot have.
TaskGraphBuilder tabled_tasks(std::size_t count, std::span<const TaskColumn> columns);

}  // namespace tasktwin::scenarios
