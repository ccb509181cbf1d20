#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::sim {

/// When each task's last predecessor has ended, in whichever order their ends become known.
class ReadyTimes {
 public:
  /// Contract: `graph` outlives this.
  explicit ReadyTimes(const TaskGraph& graph) : graph_(graph), tasks_(graph.size()) {}

  /// Of a pass over the graph. Calls root(task) for each that has no predecessors.
  void begin(auto root) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      tasks_[i] = {.left = static_cast<std::uint32_t>(graph_.in_degree(task_id(i)))};
      if (tasks_[i].left == 0) root(task_id(i));
    }
  }

  /// `task` has ended at `at`. Calls ready(successor, time) for each successor that waited for it alone.
  void ended(TaskId task, TimePoint at, auto ready) {
    for (const TaskId successor : graph_.successors(task)) {
      Waiting& waiting = tasks_[index(successor)];
      waiting.latest = std::max(waiting.latest, at);
      if (--waiting.left == 0) ready(successor, waiting.latest);
    }
  }

 private:
  struct Waiting {
    TimePoint latest = kAbsent;  ///< before all times
    std::uint32_t left = 0;      ///< predecessors
  };

  const TaskGraph& graph_;
  std::vector<Waiting> tasks_;  ///< by TaskId
};

}  // namespace tasktwin::sim
