#pragma once

#include "sim/engine/run_observer.hpp"

namespace tasktwin::sim {

/// Passes everything on to another observer, with times shifted and by other ids: of a run that is simulated from a moment of its own, or
/// of those tasks of a graph alone that exist. Of tasks beyond the graph's, which a design puts in, it says nothing.
class TranslatedObserver final : public RunObserver {
 public:
  /// `original` by TaskId of the run: that of the graph of `tasks` tasks, of which it has none beyond. Empty where they are the same.
  /// Contract: both outlive this.
  TranslatedObserver(RunObserver& to, Duration later, std::size_t tasks, std::span<const TaskId> original = {})
      : to_(to), later_(later), tasks_(tasks), original_(original) {}

  void run_begins(std::size_t /*tasks*/, std::span<const CoreType> cores) override { to_.run_begins(tasks_, cores); }
  void pass_begins(TimePoint at) override { to_.pass_begins(later(at)); }

  void ready(TaskId task, TimePoint at) override {
    if (is_of_graph(task)) to_.ready(id(task), later(at));
  }
  void dispatched(TaskId task, DispatcherId by, TimePoint at) override {
    if (is_of_graph(task)) to_.dispatched(id(task), by, later(at));
  }
  void placed(TaskId task, CoreId core) override {
    if (is_of_graph(task)) to_.placed(id(task), core);
  }
  void received(TaskId task, CoreId core, TimePoint at) override {
    if (is_of_graph(task)) to_.received(id(task), core, later(at));
  }
  void started(TaskId task, TimePoint at) override {
    if (is_of_graph(task)) to_.started(id(task), later(at));
  }
  void ended(TaskId task, TimePoint at) override {
    if (is_of_graph(task)) to_.ended(id(task), later(at));
  }
  void published(TaskId task, TimePoint at) override {
    if (is_of_graph(task)) to_.published(id(task), later(at));
  }
  void block_ran(const BlockTimes& block) override {
    if (is_of_graph(block.task))
      to_.block_ran({id(block.task), block.core, later(block.started), later(block.ended), later(block.published)});
  }

  void control_core(DispatcherId id, ControlRole role) override { to_.control_core(id, role); }
  void busy(DispatcherId id, const Span& span) override { to_.busy(id, {later(span.begin), later(span.end)}); }
  void step(DispatcherId id, const Step& step) override { to_.step(id, {later(step.begin), later(step.end), step.kind}); }
  void host_step(const HostStep& step) override {
    to_.host_step({step.thread, step.call, later(step.own), later(step.began), later(step.waited), later(step.ended)});
  }
  void completions_seen(TimePoint at) override { to_.completions_seen(later(at)); }
  void memory_changed(const MemorySample& sample) override { to_.memory_changed({later(sample.time), sample.used, sample.reserved}); }

 private:
  bool is_of_graph(TaskId task) const { return index(task) < (original_.empty() ? tasks_ : original_.size()); }
  TaskId id(TaskId task) const { return original_.empty() ? task : original_[index(task)]; }
  TimePoint later(TimePoint at) const { return is_present(at) ? at + later_ : at; }

  RunObserver& to_;
  Duration later_;
  std::size_t tasks_;
  std::span<const TaskId> original_;
};

}  // namespace tasktwin::sim
