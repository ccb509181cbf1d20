#include "sim/control/hand_over/early_tasks.hpp"

#include <algorithm>

#include "sim/queues/count_down.hpp"

namespace tasktwin::sim {

EarlyTasks::EarlyTasks(const TaskGraph& graph, const Design& design, const EventSemaphores& semaphores)
    : graph_(graph), semaphores_(semaphores) {
  if (design.early_dispatch == EarlyDispatch::kOff) return;
  const std::uint32_t submissions = design.graph_build == GraphBuild::kDevice ? 1 : 0;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    outstanding_.push_back(static_cast<std::uint32_t>(graph_.in_degree(task_id(i))) + submissions);
    blocks_.push_back(semaphores.blocks_left(task_id(i)));
  }
  core_.assign(graph_.size(), kNoCoreYet);
}

void EarlyTasks::submitted(TaskId task) {
  if (on()) count(task);
}

void EarlyTasks::released(TaskId task) {
  if (!on() || --blocks_[index(task)] > 0) return;
  core_[index(task)] = kNoCoreYet;
  for (const TaskId successor : graph_.successors(task)) count(successor);
}

/// An event whose predecessors have been handed over counts as handed over.
void EarlyTasks::count(TaskId task) {
  count_down(
      graph_, task, [this](TaskId one) { return --outstanding_[index(one)] == 0; },
      [this](TaskId one) {
        if (graph_[one].operation == Operation::kEvent || semaphores_.open(one) || blocks_[index(one)] != 1 || graph_.spawner(one)) return;
        candidates_.push_back(one);
      });
}

std::optional<TaskId> EarlyTasks::next(CoreType type) {
  std::erase_if(candidates_, [this](TaskId task) { return semaphores_.open(task); });
  const auto found = std::ranges::find(candidates_, type, [this](TaskId task) { return graph_[task].core_type; });
  if (found == candidates_.end()) return std::nullopt;
  const TaskId task = *found;
  candidates_.erase(found);
  return task;
}

}  // namespace tasktwin::sim
