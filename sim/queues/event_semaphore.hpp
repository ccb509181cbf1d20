#pragma once

#include <cstdint>
#include <vector>

#include "models/cost/body_cost.hpp"
#include "models/design/design.hpp"
#include "models/run/as_run.hpp"

namespace tasktwin::sim {

/// One counter a task, of what it still waits for: its predecessors, and its submission where it is made known in the run.
class EventSemaphores {
 public:
  EventSemaphores(const TaskGraph& graph, const AsRun& machine, const Design& design) {
    const std::uint32_t submissions = design.graph_build == GraphBuild::kDevice ? 1 : 0;
    counts_.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      counts_.push_back(static_cast<std::uint32_t>(graph.in_degree(task_id(i))) + submissions);
    }
    if (!graph.has_wide_tasks()) return;
    for (std::size_t i = 0; i < graph.size(); ++i)
      blocks_.push_back(static_cast<std::uint32_t>(width(graph, machine.constants(), task_id(i))));
  }

  /// One of those that `task` waits for is done. Returns whether it was the last.
  bool signal(TaskId task) { return --counts_[index(task)] == 0; }
  bool open(TaskId task) const { return counts_[index(task)] == 0; }

  /// Blocks of `task` that are not done.
  std::uint32_t blocks_left(TaskId task) const { return blocks_.empty() ? 1 : blocks_[index(task)]; }
  /// One block of `task` is done. Returns whether it was the last.
  bool block_done(TaskId task) { return blocks_.empty() || --blocks_[index(task)] == 0; }

  /// Of what those of a run of `graph` have been told, this run's have been told as well. Contract: the graphs have the same tasks, each of
  /// one block.
  void resume(const EventSemaphores& before, const TaskGraph& graph) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] -= static_cast<std::uint32_t>(graph.in_degree(task_id(i))) - before.counts_[i];
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> blocks_;  ///< left, by TaskId; empty where every task has one
};

}  // namespace tasktwin::sim
