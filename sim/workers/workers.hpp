#pragma once

#include <deque>
#include <vector>

#include "sim/control/state/orchestrators.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/run_events.hpp"
#include "sim/engine/wiring.hpp"
#include "sim/queues/event_semaphore.hpp"
#include "sim/workers/fetch_unit.hpp"
#include "sim/workers/gathering.hpp"

namespace tasktwin::sim {

/// What all wirings without a dispatcher share: cores that get their tasks by themselves and, on publishing one, signal its
/// successors, batch after batch (PublishCost::batch; those of a task of several blocks all together). A task is released by the last
/// signal: at the beginning, by a core, or by an orchestrator. An event's successors are signalled by the core that counts it down to zero,
/// which takes as long as after a body of as many, and two reads; those of lists watch it themselves.
class Workers : public Wiring, public EventHandler, private Cores::Listener, private Orchestrators::Listener, private Gathering::Listener {
 public:
  Workers(const WiringInputs& inputs, const PublishCost& publish, Cores::Units units = Cores::Units::kThree);

  void begin() final;
  std::string failure() const final { return orchestrators_.failure(); }
  void handle(EventKind kind, std::uint32_t subject, TimePoint now) final;

 protected:
  /// Where and when the completion of a task is written, as far as that is certain; of several blocks, of the last of them.
  struct Publisher {
    TimePoint at = kAbsent;
    CoreId core = kNoCore;
  };

  /// `task` has become ready, on core `by`, or kNoCore at the beginning and where an orchestrator does it.
  virtual void released(TaskId task, CoreId by, TimePoint now) = 0;
  /// A place in the core's mailbox may have become free.
  virtual void has_room(CoreId core) = 0;
  /// A control core has handed the worker a task, which lies there until receive_handed(): one that waits for a task need not wait longer.
  virtual void found_handed(CoreId /*core*/, TimePoint /*now*/) {}
  /// All cores begin, the roots having been released.
  virtual void all_begin() {
    for (std::size_t core = 0; core < count(); ++core) has_room(core_id(core));
  }
  /// Events of the wiring's own.
  virtual void happened(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint /*now*/) {}
  /// An orchestrator has made `task` known; told before it is released.
  virtual void known(TaskId /*task*/, TimePoint /*now*/) {}

  /// What a run has changed of what all of them share. Contract: the host has built the graph, one device, and of cores as Cores::state().
  struct SharedState {
    EventSemaphores semaphores;
    Cores::State cores;
    FetchUnits fetches;
    std::vector<Publisher> publishers;
    std::vector<std::uint32_t> told;
  };
  SharedState shared_state() const { return {semaphores_, devices_.front().state(), fetches_, publishers_, told_}; }
  /// `graph`: of the run that it is of.
  void resume_shared(const SharedState& state, const TaskGraph& graph);
  std::vector<EventHandler*> all_handlers();

  /// Cores::load_ahead() and come_to_next().
  void load_ahead(const WiringInputs& inputs, const std::vector<std::vector<TaskId>>& lists) { devices_.front().load_ahead(inputs, lists); }
  void come_to_next(CoreId core, TimePoint now) { devices_.front().come_to_next(core, now); }
  /// Of the machine, that `core` is on.
  std::size_t device_of(CoreId core) const { return devices_.size() == 1 ? 0 : index(core) / (count() / devices_.size()); }

  /// The machine's core of a worker.
  std::size_t stands_on(CoreId worker) const { return core_of_worker(index(worker), count(), per_core_); }

  FetchUnit fetch(CoreId core) { return fetches_[index(core)]; }
  std::size_t count() const { return fetches_.size(); }
  CoreType type_of(CoreId core) const { return types_[index(core)]; }
  bool open(TaskId task) const { return semaphores_.open(task); }
  const Publisher& publisher(TaskId task) const { return publishers_[index(task)]; }
  /// A fetch is over: `core` took `task`, or a block of it, at `dispatched` and has it at `received`.
  void receive(CoreId core, TaskId task, TimePoint dispatched, TimePoint received);
  /// Whether a task that a control core has handed it lies with the worker.
  bool has_handed(CoreId core) const { return !handed_.empty() && !handed_[index(core)].empty(); }
  /// The same of the first of those. Contract: has_handed(core).
  void receive_handed(CoreId core, TimePoint received);
  /// Whether a control core hands tasks to workers; and this one.
  bool gathers() const { return gathering_.any(); }
  bool is_gathered(TaskId task) const { return gathering_.takes(task); }

  const TaskGraph& graph_;
  Calendar& calendar_;
  RunEvents& events_;

 private:
  void publish(TaskId task, TimePoint now);
  void tell_rest(TaskId task, TimePoint now);
  void tell_batch(TaskId task, TimePoint now);
  void pass(TaskId event, TimePoint now);
  bool in_lots(TaskId task) const;
  void signal(TaskId task, CoreId by, TimePoint now);
  void will_publish(const Cores::Completion& completion) override;
  void submitted(TaskId task, TimePoint now) override;
  void handed(CoreId core, TaskId task, TimePoint now) override;
  void release(TaskId task, CoreId by, TimePoint now);

  int per_core_;  ///< Design::workers_per_core
  PublishCost publish_cost_;
  Nanoseconds event_read_;  ///< of an event, and of the row of what waits for it
  EventSemaphores semaphores_;
  std::deque<Cores> devices_;
  Orchestrators orchestrators_;
  FetchUnits fetches_;
  std::span<const CoreType> types_;    ///< by CoreId
  std::vector<Publisher> publishers_;  ///< by TaskId
  Gathering gathering_;
  std::vector<std::deque<TaskId>> handed_;  ///< by CoreId: by a control core; empty where none does
  std::vector<std::uint32_t> told_;  ///< by TaskId: of its successors, that many from the first on; empty where all are released together
};

}  // namespace tasktwin::sim
