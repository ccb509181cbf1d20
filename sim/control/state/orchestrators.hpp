#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_context.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// The control cores that build the graph during the run: the i-th task in topological order is submitted by orchestrator
/// i modulo their number, each of which takes submit + submit_per_predecessor for one task after the other. Under a window of
/// W, task i waits until task i − W is retired: until it and all its successors, and all tasks before it, have completed. The
/// orchestrator sees that control_hop later. None where the host builds the graph.
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

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  struct Orchestrator {
    DispatcherId id{};
    std::size_t next = 0;    ///< place in the order of its next task
    TimePoint waits_from{};  ///< for the window, while `waiting`
    bool waiting = false;
  };

  void begin_next(std::uint32_t which, TimePoint now);

  const TaskGraph& graph_;
  const mechanism::ControlLoop& times_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::size_t window_;
  Duration hop_;  ///< to dispatchers
  std::vector<Orchestrator> orchestrators_;
  std::vector<std::uint32_t> held_by_;  ///< by TaskId: itself, if not completed, and successors not completed
  std::size_t retired_ = 0;             ///< tasks, in the order of submission
};

}  // namespace tasktwin::sim
