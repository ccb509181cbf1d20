#pragma once

#include <vector>

#include "models/timeline.hpp"

namespace tasktwin::sim {

/// What the control cores did, as the Timeline keeps it.
class ControlLog {
 public:
  ControlLog(Timeline& timeline, bool record_steps) : timeline_(timeline), record_steps_(record_steps) {}

  /// One more control core; returns its DispatcherId.
  std::uint32_t add(ControlRole role) {
    timeline_.roles.push_back(role);
    timeline_.dispatchers.emplace_back();
    if (record_steps_) timeline_.steps.emplace_back();
    return static_cast<std::uint32_t>(timeline_.roles.size() - 1);
  }

  void ready(TaskId task, TimePoint at) { timeline_.tasks[index(task)].ready = at; }
  void dispatched(TaskId task, std::uint32_t by, TimePoint at) {
    timeline_.tasks[index(task)].dispatcher = DispatcherId{by};
    timeline_.tasks[index(task)].dispatched = at;
  }
  /// Completions are released.
  void seen(TimePoint at) { timeline_.seen = at; }

  /// It was busy from `begin` to `end`. Contract: ascending, disjoint.
  void busy(std::uint32_t id, TimePoint begin, TimePoint end) {
    if (end == begin) return;
    std::vector<Span>& spans = timeline_.dispatchers[id];
    if (!spans.empty() && spans.back().end == begin) {
      spans.back().end = end;
    } else {
      spans.push_back({begin, end});
    }
  }

  bool records_steps() const { return record_steps_; }

  /// Contract: ascending, disjoint.
  void step(std::uint32_t id, StepKind kind, TimePoint begin, TimePoint end) {
    if (record_steps_ && end > begin) timeline_.steps[id].push_back({begin, end, kind});
  }

 private:
  Timeline& timeline_;
  bool record_steps_;
};

}  // namespace tasktwin::sim
