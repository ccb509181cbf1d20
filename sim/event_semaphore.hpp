#pragma once

#include <cstdint>
#include <vector>

#include "models/task_graph.hpp"

namespace tasktwin::sim {

/// One counter a task, of the predecessors it still waits for.
class EventSemaphores {
 public:
  explicit EventSemaphores(const TaskGraph& graph) {
    counts_.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) counts_.push_back(static_cast<std::uint32_t>(graph.in_degree(task_id(i))));
  }

  /// One predecessor of `task` is done. Returns whether it was the last.
  bool signal(TaskId task) { return --counts_[index(task)] == 0; }
  bool open(TaskId task) const { return counts_[index(task)] == 0; }

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace tasktwin::sim
