#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Which edges are signalled and waited for where a list's order stands for those between its own tasks (OwnList::kOrder): all others, and
/// those along which a task is spawned.
class ToldEdges {
 public:
  /// All.
  ToldEdges() = default;
  /// `lists`: of each worker its tasks in order. Contract: the graph outlives this.
  ToldEdges(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& lists) : graph_(&graph), list_(graph.size(), kNone) {
    for (std::uint32_t list = 0; list < lists.size(); ++list) {
      for (const TaskId task : lists[list]) list_[index(task)] = list;
    }
  }

  bool all() const { return list_.empty(); }
  bool has(TaskId before, TaskId after) const {
    if (all() || list_[index(before)] != list_[index(after)] || list_[index(after)] == kNone) return true;
    return graph_->has_spawns() && graph_->spawner(after) == before;
  }
  /// By TaskId: how many of its successors a task tells; empty where that is all.
  std::vector<std::uint32_t> told() const {
    std::vector<std::uint32_t> counts(list_.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (const TaskId after : graph_->successors(task_id(i))) counts[i] += has(task_id(i), after) ? 1 : 0;
    }
    return counts;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;  ///< of tasks in no list, such as events

  const TaskGraph* graph_ = nullptr;
  std::vector<std::uint32_t> list_;  ///< by TaskId
};

}  // namespace tasktwin
