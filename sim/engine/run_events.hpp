#pragma once

#include <cstdint>

#include "sim/engine/run_observer.hpp"
#include "sim/engine/timeline_observer.hpp"

namespace tasktwin::sim {

/// Where the parts of a run report events. The observer that fills the Timeline is called statically, since every task has half a dozen
/// events; another observer, if there is one, virtually.
class RunEvents final {
 public:
  /// Contract: `timeline` is empty; all outlive this; `other` may be null.
  RunEvents(Timeline& timeline, RunObserver* other, bool record_steps, const TaskGraph& graph, Gang gang)
      : timeline_(timeline, record_steps, graph, gang), other_(other), tells_steps_(record_steps || other != nullptr) {}
  RunEvents(const RunEvents&) = delete;
  RunEvents& operator=(const RunEvents&) = delete;

  void run_begins(std::size_t tasks, std::span<const CoreType> cores) {
    tell([&](auto& observer) { observer.run_begins(tasks, cores); });
  }
  void pass_begins(TimePoint at) {
    tell([&](auto& observer) { observer.pass_begins(at); });
  }

  void ready(TaskId task, TimePoint at) {
    tell([&](auto& observer) { observer.ready(task, at); });
  }
  void dispatched(TaskId task, TimePoint at, DispatcherId by = kNoDispatcher) {
    tell([&](auto& observer) { observer.dispatched(task, by, at); });
  }
  void placed(TaskId task, CoreId core) {
    tell([&](auto& observer) { observer.placed(task, core); });
  }
  void received(TaskId task, CoreId core, TimePoint at) {
    tell([&](auto& observer) { observer.received(task, core, at); });
  }
  void started(TaskId task, TimePoint at) {
    tell([&](auto& observer) { observer.started(task, at); });
  }
  void ended(TaskId task, TimePoint at) {
    tell([&](auto& observer) { observer.ended(task, at); });
  }
  void published(TaskId task, TimePoint at) {
    tell([&](auto& observer) { observer.published(task, at); });
  }
  /// An event has happened.
  void happened(TaskId event, TimePoint at) {
    tell([&](RunObserver& observer) { tell_event(observer, event, at); });
  }
  void block_ran(const BlockTimes& block) {
    tell([&](auto& observer) { observer.block_ran(block); });
  }

  /// One more control core; returns its DispatcherId.
  DispatcherId add_control_core(ControlRole role) {
    const DispatcherId id{control_cores_++};
    tell([&](auto& observer) { observer.control_core(id, role); });
    return id;
  }
  void busy(DispatcherId id, TimePoint begin, TimePoint end) {
    if (end > begin) tell([&](auto& observer) { observer.busy(id, {begin, end}); });
  }
  /// Whether anybody wants to know of steps.
  bool tells_steps() const { return tells_steps_; }
  void step(DispatcherId id, StepKind kind, TimePoint begin, TimePoint end) {
    if (tells_steps_ && end > begin) tell([&](auto& observer) { observer.step(id, {begin, end, kind}); });
  }
  void host_step(const HostStep& step) {
    tell([&](auto& observer) { observer.host_step(step); });
  }
  void completions_seen(TimePoint at) {
    tell([&](auto& observer) { observer.completions_seen(at); });
  }
  void memory_changed(const MemorySample& sample) {
    tell([&](auto& observer) { observer.memory_changed(sample); });
  }

 private:
  template <class Tell>
  void tell(Tell tell) {
    tell(timeline_);
    if (other_ != nullptr) tell(*other_);
  }

  TimelineObserver timeline_;
  RunObserver* other_;
  bool tells_steps_;
  std::uint32_t control_cores_ = 0;
};

}  // namespace tasktwin::sim
