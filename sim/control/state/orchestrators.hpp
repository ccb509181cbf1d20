#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/checks/submission_room.hpp"
#include "sim/control/state/control_hops.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// The control cores that build the graph during the run: the i-th task in topological order is submitted by orchestrator
/// i modulo their number, each of which takes submit for one task after the other. Under a window of
/// W, task i waits until task i − W is retired: until it and all its successors, and all tasks before it, have completed, and the last of
/// its scope is submitted. The orchestrator sees that a hop between control cores later. A heap ring and a dependency pool hold what the
/// tasks not yet retired have put out, and their dependencies, likewise (models/checks/submission_room.hpp). None where the host builds the
/// graph.
class Orchestrators final : public EventHandler {
 public:
  class Listener {
   public:
    /// `task` is known from `now` on; to dispatchers a hop after it was submitted.
    virtual void submitted(TaskId task, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  Orchestrators(const WiringInputs& inputs, Listener& listener);

  bool any() const { return !orchestrators_.empty(); }
  /// Contract: once, at the beginning of the run.
  void begin();
  /// `task` is known to have completed at `now`.
  void completed(TaskId task, TimePoint now);

  /// Which orchestrator waited for longer than Design::spin_limit_us, in a sentence; empty if none did.
  const std::string& failure() const { return failure_; }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Orchestrator {
    DispatcherId id{};
    std::size_t next = 0;             ///< place in the order of its next task
    TimePoint waits_from{};           ///< while it waits
    const Ring* waits_for = nullptr;  ///< the ring without room, while there is none
    const Ring* full = nullptr;       ///< the one that it waited for last
  };

  void begin_next(std::uint32_t which, TimePoint now);
  const Ring* full_ring(std::size_t next) const;
  void end_scope(TaskId submitted, TimePoint now);
  void retire(TimePoint now);

  const TaskGraph& graph_;
  const mechanism::ControlLoop& times_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::vector<Ring> rings_;
  Duration spin_limit_;
  std::string failure_;
  ControlHops hops_;
  bool dispatched_;  ///< to dispatchers
  std::vector<Orchestrator> orchestrators_;
  struct Scope {
    std::vector<TaskId> tasks;
    std::size_t to_submit = 0;  ///< of them
  };
  std::map<int, Scope> scopes_;         ///< by TaskTraits::scope
  std::vector<std::uint32_t> held_by_;  ///< by TaskId: itself, if not completed, successors not completed, and its scope
  std::size_t retired_ = 0;             ///< tasks, in the order of submission
};

}  // namespace tasktwin::sim
