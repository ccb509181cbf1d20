#pragma once

#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// What follows each task by its place in a stream or, of ranks, in their communicator, beside the graph's edges.
struct LaunchFollowers {
  LaunchFollowers(const TaskGraph& graph, const Design& design);

  std::vector<TaskId> order;               ///< as they are launched into streams, else one that edges allow
  std::vector<std::vector<TaskId>> later;  ///< by TaskId
};

}  // namespace tasktwin
