#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// Under Design::early_dispatch: the tasks that may be handed over although they are not ready, because all that they wait for has been
/// handed over and is not waiting for a doorbell itself; and those that wait on cores for theirs. None that are spawned, none without
/// predecessors. A core where a task waits takes no other. Under gang `together` a task of several blocks is handed over block by block,
/// and its blocks start together; what is missing when it is ready goes before other ready tasks, to as many idle cores at once. One of a
/// cluster comes to all its cores at once. Two tasks each of which has some of its blocks on cores may keep the rest of theirs from each
/// other (models/checks/early_stalls.hpp).
class EarlyTasks {
 public:
  /// Contract: what is passed outlives this.
  EarlyTasks(const TaskGraph& graph, const Design& design, const EventSemaphores& semaphores, Mailboxes& mailboxes,
             std::size_t dispatchers);

  bool on() const { return !outstanding_.empty(); }

  /// An orchestrator has made the task known.
  void submitted(TaskId task);
  /// A block of the task has been handed over, ready.
  void released(TaskId task);

  /// Those that may go early, in their order.
  const std::deque<TaskId>& candidates();
  /// How many of its blocks a dispatcher may hand over now, as Design::early_limit bounds them; of one for a cluster `width` or none.
  std::uint32_t allowed(TaskId task, std::uint32_t by, std::uint32_t width) const;
  /// Before the task, or a block of it, is put there by `by`.
  void put(TaskId task, std::uint32_t core, std::uint32_t by);
  /// The core has it; it takes no other until the doorbell.
  void wait(std::uint32_t core) { mailboxes_.close(core); }

  /// The cores on which blocks of the task wait for its doorbell, or where that has rung and others are missing.
  std::vector<std::uint32_t> waits_on(TaskId task) const;
  /// Its doorbell is rung on all of these.
  void rung(TaskId task);
  /// Blocks of it that are not on cores.
  std::uint32_t missing(TaskId task) const;
  /// Tasks whose doorbell has rung and of which blocks are missing, in the order of TaskId.
  std::vector<TaskId> incomplete() const;
  /// Whether a task for cores of that type, some of whose blocks wait there, is ready or about to be, and others are missing.
  bool keeps_back(CoreType type) const;

  /// Types of core, as bits, for which there is more to hand over since the last call.
  std::uint32_t take_found() { return std::exchange(found_, 0); }

 private:
  struct Staged {
    std::vector<std::uint32_t> cores{};
    std::vector<std::uint32_t> by{};  ///< whose, core by core
    bool rung = false;
  };

  void count(TaskId task);
  void start(std::map<TaskId, Staged>::iterator staged);

  const TaskGraph& graph_;
  const Design& design_;
  const EventSemaphores& semaphores_;
  Mailboxes& mailboxes_;
  std::vector<std::uint32_t> outstanding_;  ///< by TaskId: predecessors not handed over, and its submission
  std::vector<std::uint32_t> blocks_;       ///< by TaskId: to be handed over, or waiting for the doorbell
  std::map<TaskId, Staged> staged_;         ///< tasks that hold cores and cannot start
  std::vector<std::uint32_t> held_;         ///< cores by dispatcher, of those tasks
  std::uint32_t held_in_all_ = 0;
  std::deque<TaskId> candidates_;
  std::uint32_t found_ = 0;
};

}  // namespace tasktwin::sim
