#pragma once

#include <algorithm>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "sim/engine/run_observer.hpp"

namespace tasktwin::sim {

/// Fills a Timeline with the events of the run: all but `ready_queue`, `stopped` and what its cores are. Of a task on
/// several cores it keeps the first core, the earliest start and the latest of the other phases; where its blocks start apart, the earliest
/// of all up to the start.
class TimelineObserver final : public RunObserver {
 public:
  /// Contract: `timeline` is empty; it and `graph` outlive this.
  TimelineObserver(Timeline& timeline, bool record_steps, const TaskGraph& graph, Gang gang)
      : timeline_(timeline), record_steps_(record_steps), graph_(graph), gang_(gang) {}

  void run_begins(std::size_t tasks, std::span<const CoreType> cores) override {
    timeline_.tasks.resize(tasks);
    tasks_ = timeline_.tasks.data();
    timeline_.cores.assign(cores.begin(), cores.end());
  }
  void pass_begins(TimePoint /*at*/) override {
    std::ranges::fill(timeline_.tasks, TaskTimes{});
    timeline_.blocks.clear();
  }

  void ready(TaskId task, TimePoint at) override { of(task).ready = at; }
  void dispatched(TaskId task, DispatcherId by, TimePoint at) override {
    TaskTimes& times = of(task);
    if (is_present(times.dispatched) && (apart(task) ? at > times.dispatched : at < times.dispatched)) return;
    times.dispatched = at;
    times.dispatcher = by;
  }
  void placed(TaskId task, CoreId core) override { of(task).core = std::min(of(task).core, core); }  // kNoCore is after all cores
  void received(TaskId task, CoreId core, TimePoint at) override {
    placed(task, core);
    TimePoint& received = of(task).received;
    if (!is_present(received) || (apart(task) ? at < received : at > received)) received = at;
  }
  void started(TaskId task, TimePoint at) override {
    TimePoint& started = of(task).started;
    started = is_present(started) ? std::min(started, at) : at;
  }
  void ended(TaskId task, TimePoint at) override { of(task).ended = std::max(of(task).ended, at); }
  void published(TaskId task, TimePoint at) override { of(task).published = std::max(of(task).published, at); }
  void block_ran(const BlockTimes& block) override { timeline_.blocks.push_back(block); }

  void control_core(DispatcherId /*id*/, ControlRole role) override {
    timeline_.roles.push_back(role);
    timeline_.dispatchers.emplace_back();
  }
  void busy(DispatcherId id, const Span& span) override {
    std::vector<Span>& spans = timeline_.dispatchers[index(id)];
    if (!spans.empty() && spans.back().end == span.begin) {
      spans.back().end = span.end;
    } else {
      spans.push_back(span);
    }
  }
  void step(DispatcherId id, const Step& step) override {
    if (!record_steps_) return;
    timeline_.steps.resize(timeline_.roles.size());
    timeline_.steps[index(id)].push_back(step);
  }
  void host_step(const HostStep& step) override { timeline_.host_steps.push_back(step); }
  void completions_seen(TimePoint at) override { timeline_.seen = at; }
  void memory_changed(const MemorySample& sample) override { timeline_.memory.push_back(sample); }

 private:
  TaskTimes& of(TaskId task) { return tasks_[index(task)]; }
  bool apart(TaskId task) const { return !starts_together(gang_, graph_[task].core_type); }

  Timeline& timeline_;
  TaskTimes* tasks_ = nullptr;  ///< those of timeline_
  bool record_steps_;
  const TaskGraph& graph_;
  Gang gang_;
};

}  // namespace tasktwin::sim
