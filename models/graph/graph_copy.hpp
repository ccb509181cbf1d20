#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Graphs that are others with something changed: what is not named here is as in `graph`.

/// Changes a task before it is added.
using TaskChange = std::function<void(TaskId, Task&, TaskTraits&)>;

/// The place of a task that the new graph does not have.
inline constexpr std::uint32_t kNoPlace = ~0u;

TaskId copy_task(TaskGraphBuilder& builder, const TaskGraph& graph, TaskId id, const TaskChange& change = {});

/// All of them in their order, and what buffers are called.
void copy_tasks(TaskGraphBuilder& builder, const TaskGraph& graph, const TaskChange& change = {});

void copy_buffer_names(TaskGraphBuilder& builder, const TaskGraph& graph);

/// Edges with their bytes, and who spawns whom, between tasks that the new graph has: `place` is by TaskId of `graph`; empty where each
/// keeps its place. Throws InputError for a task that would be left without the one that spawns it.
void copy_edges(TaskGraphBuilder& builder, const TaskGraph& graph, std::span<const std::uint32_t> place = {});

/// Some tasks of a graph, and the edges between them.
struct GraphPart {
  TaskGraph graph;
  std::vector<TaskId> original;  ///< by TaskId of the part
};
/// Those that `has` names, by TaskId. Throws as copy_edges does.
GraphPart part_of(const TaskGraph& graph, const std::vector<bool>& has);

/// Calls visit(predecessor, bytes) for each edge into `task`; 0 bytes where the edge has none.
template <class Visit>
void for_each_input(const TaskGraph& graph, TaskId task, Visit visit) {
  const std::span<const std::int64_t> bytes = graph.input_bytes(task);
  for (std::size_t i = 0; const TaskId before : graph.predecessors(task)) visit(before, bytes.empty() ? std::int64_t{0} : bytes[i++]);
}

}  // namespace tasktwin
