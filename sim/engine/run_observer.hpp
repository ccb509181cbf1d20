#pragma once

#include <span>

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// Receives the events of a run. An event is reported when it is certain, which may be before the run comes to its time, so times do not
/// ascend from call to call. For a task that occupies several cores each block reports its own phases. Contract: starts no simulation.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// Once, before all else. `cores`: the cores, or streams, that can take tasks.
  virtual void run_begins(std::size_t /*tasks*/, std::span<const CoreType> /*cores*/) {}
  /// The graph is run once more: earlier events of its tasks were of the pass before.
  virtual void pass_begins(TimePoint /*at*/) {}

  // The phases of a task, as TaskTimes has them.
  virtual void ready(TaskId /*task*/, TimePoint /*at*/) {}
  /// `by` kNoDispatcher where cores take tasks by themselves.
  virtual void dispatched(TaskId /*task*/, DispatcherId /*by*/, TimePoint /*at*/) {}
  /// It, or a block of it, is for that core or stream; reported where no core receives it.
  virtual void placed(TaskId /*task*/, CoreId /*core*/) {}
  virtual void received(TaskId /*task*/, CoreId /*core*/, TimePoint /*at*/) {}
  virtual void started(TaskId /*task*/, TimePoint /*at*/) {}
  virtual void ended(TaskId /*task*/, TimePoint /*at*/) {}
  virtual void published(TaskId /*task*/, TimePoint /*at*/) {}
  /// One core's part in a task that occupies several.
  virtual void block_ran(const BlockTimes& /*block*/) {}

  /// There is one more control core; they are numbered from 0.
  virtual void control_core(DispatcherId /*id*/, ControlRole /*role*/) {}
  /// It did something. Ascending and disjoint for each.
  virtual void busy(DispatcherId /*id*/, const Span& /*span*/) {}
  /// What it did, in more detail. Ascending and disjoint for each.
  virtual void step(DispatcherId /*id*/, const Step& /*step*/) {}
  /// A thread of a captured program's host returned from a call. Ascending for each thread.
  virtual void host_step(const HostStep& /*step*/) {}
  /// A control core has released completions that it saw.
  virtual void completions_seen(TimePoint /*at*/) {}
  /// An allocation or a free has changed what is used of the device's memory.
  virtual void memory_changed(const MemorySample& /*sample*/) {}
};

/// Tells all phases of an event (Operation::kEvent) that has happened.
inline void tell_event(RunObserver& observer, TaskId event, TimePoint at) {
  observer.ready(event, at);
  observer.dispatched(event, kNoDispatcher, at);
  observer.received(event, kNoCore, at);
  observer.started(event, at);
  observer.ended(event, at);
  observer.published(event, at);
}

}  // namespace tasktwin::sim
