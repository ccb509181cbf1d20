#include "sim/control/state/orchestrators.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

Orchestrators::Orchestrators(const WiringInputs& inputs, Listener& listener)
    : graph_(inputs.graph),
      times_(inputs.machine.control),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      rings_(rings(inputs.graph, inputs.design)),
      spin_limit_(std::int64_t{inputs.design.spin_limit_us} * 1000),
      hops_(inputs.machine, inputs.design),
      dispatched_(runtime_of(inputs.design).dispatched()),
      orchestrators_(static_cast<std::size_t>(orchestrator_count(inputs.design))) {
  for (std::size_t i = 0; i < orchestrators_.size(); ++i) {
    orchestrators_[i].id = events_.add_control_core(ControlRole::kOrchestrator);
    orchestrators_[i].next = i;
  }
  if (orchestrators_.empty()) return;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const int scope = graph_.traits(task_id(i)).scope;
    held_by_.push_back((scope == 0 ? 1 : 2) + static_cast<std::uint32_t>(graph_.out_degree(task_id(i))));
    if (scope == 0) continue;
    scopes_[scope].tasks.push_back(task_id(i));
    ++scopes_[scope].to_submit;
  }
}

void Orchestrators::begin() {
  for (std::uint32_t i = 0; i < orchestrators_.size(); ++i) begin_next(i, TimePoint{});
}

void Orchestrators::begin_next(std::uint32_t which, TimePoint now) {
  Orchestrator& orchestrator = orchestrators_[which];
  if (orchestrator.next >= graph_.size()) return;
  orchestrator.waits_for = full_ring(orchestrator.next);
  if (orchestrator.waits_for != nullptr) {
    orchestrator.waits_from = now;
    return;
  }
  const TimePoint end = now + round_ns(times_.submit);
  events_.busy(orchestrator.id, now, end);
  events_.step(orchestrator.id, StepKind::kSubmit, now, end);
  calendar_.schedule(end, EventKind::kSubmitted, which, *this);
}

void Orchestrators::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kArrived) return listener_.submitted(TaskId{subject}, now);
  Orchestrator& orchestrator = orchestrators_[subject];
  if (kind == EventKind::kWindow) {
    events_.step(orchestrator.id, StepKind::kWait, orchestrator.waits_from, now);
    if (spin_limit_ > Duration{0} && now - orchestrator.waits_from > spin_limit_ && failure_.empty()) {
      failure_ = "an orchestrator waited " + std::to_string((now - orchestrator.waits_from).count()) + " ns for room in its " +
                 std::string(orchestrator.full->axis) + " with task '" +
                 std::string(graph_.name(graph_.topological_order()[orchestrator.next])) + "', longer than spin_limit_us, " +
                 std::to_string(spin_limit_.count() / 1000) + ", lets it";
    }
    begin_next(subject, now);
    return;
  }
  const TaskId task = graph_.topological_order()[orchestrator.next];
  orchestrator.next += orchestrators_.size();
  end_scope(task, now);
  begin_next(subject, now);
  const Duration hop = dispatched_ ? hops_.to_dispatchers(orchestrator.id) : Duration{0};
  if (hop == Duration{0}) return listener_.submitted(task, now);
  calendar_.schedule(now + hop, EventKind::kArrived, static_cast<std::uint32_t>(index(task)), *this);
}

const Ring* Orchestrators::full_ring(std::size_t next) const {
  const auto full = std::ranges::find_if(rings_, [&](const Ring& ring) { return !ring.has_room(retired_, next); });
  return full == rings_.end() ? nullptr : &*full;
}

void Orchestrators::end_scope(TaskId submitted, TimePoint now) {
  const auto scope = scopes_.find(graph_.traits(submitted).scope);
  if (scope == scopes_.end() || --scope->second.to_submit > 0) return;
  for (const TaskId task : scope->second.tasks) --held_by_[index(task)];
  retire(now);
}

void Orchestrators::completed(TaskId task, TimePoint now) {
  if (orchestrators_.empty()) return;
  --held_by_[index(task)];
  for (const TaskId predecessor : graph_.predecessors(task)) --held_by_[index(predecessor)];
  retire(now);
}

void Orchestrators::retire(TimePoint now) {
  const auto& order = graph_.topological_order();
  while (retired_ < order.size() && held_by_[index(order[retired_])] == 0) ++retired_;
  for (std::uint32_t i = 0; i < orchestrators_.size(); ++i) {
    Orchestrator& waiting = orchestrators_[i];
    if (waiting.waits_for == nullptr || full_ring(waiting.next) != nullptr) continue;
    waiting.full = std::exchange(waiting.waits_for, nullptr);
    calendar_.schedule(now + hops_.to_dispatchers(waiting.id), EventKind::kWindow, i, *this);
  }
}

}  // namespace tasktwin::sim
