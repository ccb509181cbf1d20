#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::verify {

/// Fields of tasks whose values `scenario import` does not get back from it: names, and how many tasks have another value than the default.
std::vector<std::pair<std::string_view, std::size_t>> lost_in_dot(const TaskGraph& graph);

/// Writes the graph in Graphviz's language: a node a task, `t<TaskId>`, labelled with its name and what its body costs, of a shape
/// for each core type and a colour for each kernel; an edge a dependency, with its bytes where it has some, dashed from a task to
/// those it spawns. Streamed, so that a graph of any size can be written; `dot` lays out some thousand nodes, `sfdp` more.
/// Throws RunError if the file cannot be written.
void write_graph_dot(const std::filesystem::path& path, const TaskGraph& graph, std::string_view name);

}  // namespace tasktwin::verify
