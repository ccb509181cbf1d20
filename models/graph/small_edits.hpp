#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// By what a graph differs from another of the same tasks.
struct SmallEdits {
  std::map<TaskId, Duration> times;           ///< Cost::time
  std::map<TaskId, std::int32_t> priorities;  ///< Task::priority
  std::set<std::pair<TaskId, TaskId>> added;  ///< edges, without bytes
  std::set<std::pair<TaskId, TaskId>> removed;

  bool empty() const { return times.empty() && priorities.empty() && added.empty() && removed.empty(); }
};

bool has_edge(const TaskGraph& graph, TaskId from, TaskId to);

/// `graph` with them, as if it had been built so. Throws CycleError. Contract: an edge that is removed is there, and spawns nothing.
TaskGraph with_edits(const TaskGraph& graph, const SmallEdits& edits);

}  // namespace tasktwin
