#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// What tasks take from their submission, in topological order, until they are retired, in the same order.
struct Ring {
  std::string_view axis;             ///< of Design
  std::int64_t size = 0;             ///< in the unit of `ends`
  std::vector<std::int64_t> ends{};  ///< what the first n tasks take together, by n from 0 on

  /// Whether the tasks from the `retired`-th on up to the `next`-th, that one included, fit in at a time.
  bool has_room(std::size_t retired, std::size_t next) const { return ends[next + 1] - ends[retired] <= size; }
};

/// Those that `design` bounds: `window` in tasks, `heap_kib` in bytes of TaskTraits::output, `dependency_pool` in dependencies. None where
/// the host builds the graph.
std::vector<Ring> rings(const TaskGraph& graph, const Design& design);

/// By TaskId: of the tasks that belong to one scope (TaskTraits::scope) the last in topological order; of those in none, the task itself.
std::vector<TaskId> scope_ends(const TaskGraph& graph);

}  // namespace tasktwin
