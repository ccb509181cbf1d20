#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/design/design.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// Under Design::early_dispatch: the tasks that may be handed over although they are not ready, because all that they wait for has been
/// handed over and is not waiting for a doorbell itself; and those that wait on a core for theirs. Tasks of one core alone, none that are
/// spawned. A task that waits keeps its core from others; no two can wait for each other, since each was handed over after all its
/// predecessors were.
class EarlyTasks {
 public:
  /// Contract: `semaphores` outlives this.
  EarlyTasks(const TaskGraph& graph, const Design& design, const EventSemaphores& semaphores);

  bool on() const { return !outstanding_.empty(); }

  /// An orchestrator has made the task known.
  void submitted(TaskId task);
  /// A block of the task has been handed over, ready; or its doorbell is rung.
  void released(TaskId task);

  /// The next that may go early to a core of `type`, which it then leaves for.
  std::optional<TaskId> next(CoreType type);

  void put(TaskId task, std::uint32_t core) { core_[index(task)] = core; }
  /// The core on which the task waits for its doorbell.
  std::optional<std::uint32_t> waits_on(TaskId task) const {
    if (!on() || core_[index(task)] == kNoCoreYet) return std::nullopt;
    return core_[index(task)];
  }

 private:
  static constexpr std::uint32_t kNoCoreYet = ~0u;

  void count(TaskId task);

  const TaskGraph& graph_;
  const EventSemaphores& semaphores_;
  std::vector<std::uint32_t> outstanding_;  ///< by TaskId: predecessors not handed over, and its submission
  std::vector<std::uint32_t> blocks_;       ///< by TaskId: to be handed over
  std::vector<std::uint32_t> core_;         ///< by TaskId
  std::deque<TaskId> candidates_;
};

}  // namespace tasktwin::sim
