#pragma once

#include <vector>

#include "sim/control/state/control_log.hpp"
#include "sim/control/state/orchestrators.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/wiring.hpp"
#include "sim/queues/event_semaphore.hpp"
#include "sim/workers/fetch_unit.hpp"

namespace tasktwin::sim {

/// What all wirings without a dispatcher share: cores that get their tasks by themselves and, on publishing one, signal its
/// successors, batch after batch (PublishCost::batch; those of a task of several blocks all together). A task is released by the last
/// signal: at the beginning, by a core, or by an orchestrator.
class Workers : public Wiring, public EventHandler, private Cores::Listener, private Orchestrators::Listener {
 public:
  Workers(const WiringInputs& inputs, const PublishCost& publish, Cores::Units units = Cores::Units::kThree);

  void begin() final;
  void handle(EventKind kind, std::uint32_t subject, TimePoint now) final;

 protected:
  /// `task` has become ready, on core `by`, or kNoCore at the beginning and where an orchestrator does it.
  virtual void released(TaskId task, CoreId by, TimePoint now) = 0;
  /// A place in the core's mailbox may have become free.
  virtual void has_room(CoreId core) = 0;
  /// Events of the wiring's own.
  virtual void happened(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint /*now*/) {}
  /// An orchestrator has made `task` known; told before it is released.
  virtual void known(TaskId /*task*/, TimePoint /*now*/) {}

  FetchUnit& fetch(CoreId core) { return fetches_[index(core)]; }
  std::size_t count() const { return fetches_.size(); }
  CoreType type_of(CoreId core) const { return timeline_.cores[index(core)]; }
  bool open(TaskId task) const { return semaphores_.open(task); }
  /// A fetch is over: `core` took `task`, or a block of it, at `dispatched` and has it at `received`.
  void receive(CoreId core, TaskId task, TimePoint dispatched, TimePoint received);

  const TaskGraph& graph_;
  Calendar& calendar_;
  Timeline& timeline_;

 private:
  void publish(TaskId task, TimePoint now);
  void tell_batch(TaskId task, TimePoint now);
  bool in_lots(TaskId task) const;
  CoreId publisher(TaskId task) const {
    return last_publishers_.empty() ? timeline_.tasks[index(task)].core : last_publishers_[index(task)].core;
  }
  void signal(TaskId task, CoreId by, TimePoint now);
  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override;
  void submitted(TaskId task, TimePoint now) override;

  PublishCost publish_cost_;
  EventSemaphores semaphores_;
  Cores cores_;
  ControlLog log_;
  Orchestrators orchestrators_;
  std::vector<FetchUnit> fetches_;  ///< by CoreId
  struct Publisher {
    TimePoint at{};
    CoreId core = kNoCore;
  };
  std::vector<Publisher> last_publishers_;  ///< by TaskId; empty where every task has one block
  std::vector<std::uint32_t> told_;         ///< by TaskId: of its successors, so many from the first on; empty where all are told together
};

}  // namespace tasktwin::sim
