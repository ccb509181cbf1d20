#include "sim/control/hand_over/early_tasks.hpp"

#include <algorithm>
#include <utility>

#include "sim/queues/count_down.hpp"

namespace tasktwin::sim {

EarlyTasks::EarlyTasks(const TaskGraph& graph, const Design& design, const EventSemaphores& semaphores, Mailboxes& mailboxes,
                       std::size_t dispatchers)
    : graph_(graph), design_(design), semaphores_(semaphores), mailboxes_(mailboxes), held_(dispatchers) {
  if (design.early_dispatch == EarlyDispatch::kOff) return;
  const std::uint32_t submissions = design.graph_build == GraphBuild::kDevice ? 1 : 0;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    outstanding_.push_back(static_cast<std::uint32_t>(graph_.in_degree(task_id(i))) + submissions);
    blocks_.push_back(semaphores.blocks_left(task_id(i)));
  }
}

void EarlyTasks::submitted(TaskId task) {
  if (on()) count(task);
}

void EarlyTasks::released(TaskId task) {
  if (!on() || --blocks_[index(task)] > 0) return;
  if (const auto staged = staged_.find(task); staged != staged_.end()) start(staged);
  for (const TaskId successor : graph_.successors(task)) count(successor);
}

/// It has all its cores, and its doorbell has rung.
void EarlyTasks::start(std::map<TaskId, Staged>::iterator staged) {
  const auto& [cores, by, rung] = staged->second;
  for (const std::uint32_t core : cores) mailboxes_.open(core);
  for (const std::uint32_t dispatcher : by) --held_[dispatcher];
  held_in_all_ -= static_cast<std::uint32_t>(cores.size());
  staged_.erase(staged);
}

/// An event whose predecessors have been handed over counts as handed over.
void EarlyTasks::count(TaskId task) {
  count_down(
      graph_, task, [this](TaskId one) { return --outstanding_[index(one)] == 0; },
      [this](TaskId one) {
        const bool several = blocks_[index(one)] > 1 || graph_[one].core_type == CoreType::kMix;
        if (graph_[one].operation == Operation::kEvent || semaphores_.open(one) || graph_.spawner(one)) return;
        if (several && design_.gang == Gang::kApart) return;
        candidates_.push_back(one);
        found_ |= bit_of(graph_[one].core_type);
      });
}

const std::deque<TaskId>& EarlyTasks::candidates() {
  std::erase_if(candidates_, [this](TaskId task) { return semaphores_.open(task) || missing(task) == 0; });
  return candidates_;
}

std::uint32_t EarlyTasks::allowed(TaskId task, std::uint32_t by, std::uint32_t width) const {
  std::uint32_t held = held_in_all_;
  if (design_.early_bound == EarlyBound::kPerDispatcher) held = held_[by];
  if (design_.early_bound == EarlyBound::kPerEdge) {
    const auto staged = staged_.find(task);
    held = staged == staged_.end() ? 0 : static_cast<std::uint32_t>(staged->second.cores.size());
  }
  const auto limit = static_cast<std::uint32_t>(design_.early_limit);
  const std::uint32_t room = limit > held ? limit - held : 0;
  return graph_[task].core_type == CoreType::kMix ? (width <= room ? width : 0) : std::min(missing(task), room);
}

void EarlyTasks::put(TaskId task, std::uint32_t core, std::uint32_t by) {
  Staged& staged = staged_[task];
  staged.cores.push_back(core);
  staged.by.push_back(by);
  ++held_[by];
  ++held_in_all_;
}

std::vector<std::uint32_t> EarlyTasks::waits_on(TaskId task) const {
  const auto staged = staged_.find(task);
  return staged == staged_.end() ? std::vector<std::uint32_t>{} : staged->second.cores;
}

void EarlyTasks::rung(TaskId task) {
  const auto staged = staged_.find(task);
  staged->second.rung = true;
  const auto cores = static_cast<std::uint32_t>(staged->second.cores.size());
  blocks_[index(task)] -= cores - 1;
  released(task);
  if (missing(task) > 0) found_ |= bit_of(graph_[task].core_type);
}

std::vector<TaskId> EarlyTasks::incomplete() const {
  std::vector<TaskId> tasks;
  for (const auto& [task, staged] : staged_) {
    if (staged.rung) tasks.push_back(task);
  }
  return tasks;
}

bool EarlyTasks::keeps_back(CoreType type) const {
  return std::ranges::any_of(staged_, [&](const auto& entry) {
    return graph_[entry.first].core_type == type && semaphores_.open(entry.first) && missing(entry.first) > 0;
  });
}

std::uint32_t EarlyTasks::missing(TaskId task) const {
  const auto staged = staged_.find(task);
  const std::uint32_t blocks = blocks_[index(task)];
  return staged == staged_.end() || staged->second.rung ? blocks : blocks - static_cast<std::uint32_t>(staged->second.cores.size());
}

}  // namespace tasktwin::sim
