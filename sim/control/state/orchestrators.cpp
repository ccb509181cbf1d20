#include "sim/control/state/orchestrators.hpp"

#include <limits>

namespace tasktwin::sim {

Orchestrators::Orchestrators(const WiringInputs& inputs, Listener& listener)
    : graph_(inputs.graph),
      times_(inputs.machine.control),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      window_(inputs.design.window == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(inputs.design.window)),
      hop_(inputs.design.release == Release::kDispatcher ? round_ns(inputs.machine.control.hop) : Duration{0}),
      orchestrators_(static_cast<std::size_t>(orchestrator_count(inputs.design))) {
  for (std::size_t i = 0; i < orchestrators_.size(); ++i) {
    orchestrators_[i].id = events_.add_control_core(ControlRole::kOrchestrator);
    orchestrators_[i].next = i;
  }
  if (orchestrators_.empty()) return;
  for (std::size_t i = 0; i < graph_.size(); ++i) held_by_.push_back(1 + static_cast<std::uint32_t>(graph_.out_degree(task_id(i))));
}

void Orchestrators::begin() {
  for (std::uint32_t i = 0; i < orchestrators_.size(); ++i) begin_next(i, TimePoint{});
}

void Orchestrators::begin_next(std::uint32_t which, TimePoint now) {
  Orchestrator& orchestrator = orchestrators_[which];
  if (orchestrator.next >= graph_.size()) return;
  if (orchestrator.next - retired_ >= window_) {  // what is not submitted is not retired: next >= retired_
    orchestrator.waiting = true;
    orchestrator.waits_from = now;
    return;
  }
  const TaskId task = graph_.topological_order()[orchestrator.next];
  const TimePoint end = now + round_ns(times_.submit + static_cast<double>(graph_.in_degree(task)) * times_.submit_per_predecessor);
  events_.busy(orchestrator.id, now, end);
  events_.step(orchestrator.id, StepKind::kSubmit, now, end);
  calendar_.schedule(end, EventKind::kSubmitted, which, *this);
}

void Orchestrators::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kArrived) return listener_.submitted(TaskId{subject}, now);
  Orchestrator& orchestrator = orchestrators_[subject];
  if (kind == EventKind::kWindow) {
    events_.step(orchestrator.id, StepKind::kWait, orchestrator.waits_from, now);
    begin_next(subject, now);
    return;
  }
  const TaskId task = graph_.topological_order()[orchestrator.next];
  orchestrator.next += orchestrators_.size();
  begin_next(subject, now);
  if (hop_ == Duration{0}) return listener_.submitted(task, now);
  calendar_.schedule(now + hop_, EventKind::kArrived, static_cast<std::uint32_t>(index(task)), *this);
}

void Orchestrators::completed(TaskId task, TimePoint now) {
  if (orchestrators_.empty()) return;
  --held_by_[index(task)];
  for (const TaskId predecessor : graph_.predecessors(task)) --held_by_[index(predecessor)];
  const auto& order = graph_.topological_order();
  while (retired_ < order.size() && held_by_[index(order[retired_])] == 0) ++retired_;
  for (std::uint32_t i = 0; i < orchestrators_.size(); ++i) {
    Orchestrator& waiting = orchestrators_[i];
    if (!waiting.waiting || waiting.next - retired_ >= window_) continue;
    waiting.waiting = false;
    calendar_.schedule(now + round_ns(times_.hop), EventKind::kWindow, i, *this);
  }
}

}  // namespace tasktwin::sim
