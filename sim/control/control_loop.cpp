#include "sim/control/control_loop.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tasktwin::sim {

ControlLoop::ControlLoop(const Parts& parts, Nanoseconds count, bool others)
    : parts_(parts), count_(round_ns(count)), alone_(parts.shares.dispatchers() == 1 && !others), iterations_(parts.shares.dispatchers()) {}

void ControlLoop::begin(TimePoint opened) {
  for (std::uint32_t id = 0; id < iterations_.size(); ++id) parts_.parking.begin_next(id, opened);
}

void ControlLoop::handle(EventKind kind, std::uint32_t id, TimePoint now) {
  std::optional<Stage> next = run(kind, id, now);
  while (next && alone_) next = run(next->kind, id, next->begin);
  if (next) parts_.calendar.schedule(next->begin, next->kind, id, parts_.handler);
}

std::optional<ControlLoop::Stage> ControlLoop::run(EventKind kind, std::uint32_t id, TimePoint now) {
  switch (kind) {
    case EventKind::kIteration:
      if (!parts_.parking.begins(id, now)) return std::nullopt;
      return take_in(id, now);
    case EventKind::kLook:
      if (!parts_.parking.looks(id, now)) return std::nullopt;
      parts_.parking.unpark(id);
      iterations_[id].begin(now);
      return hand_over(id, now);
    case EventKind::kCounters:
      return tell(id, now);
    case EventKind::kPushed:
      return push_group(id, now);
    case EventKind::kRelease:
      return release(id, now);
    default:
      return hand_over(id, now);
  }
}

ControlLoop::Stage ControlLoop::take_in(std::uint32_t id, TimePoint now) {
  parts_.ready.offer(id, parts_.fill.tell_idle(parts_.shares.share_of_dispatcher(id)), now);
  parts_.parking.unpark(id);
  Iteration& iteration = iterations_[id];
  iteration.begin(now);
  parts_.intake.take_in(id, iteration);
  if (parts_.work.in_steps()) return {EventKind::kCounters, now + round_ns(iteration.taking_in)};
  return resolved(id, now + round_ns(iteration.taking_in + parts_.work.cost(iteration.resolution)));
}

/// It comes to the next line of counters, or has told all successors.
ControlLoop::Stage ControlLoop::tell(std::uint32_t id, TimePoint now) {
  if (const auto next = parts_.work.go_on(id, now)) return {EventKind::kCounters, *next};
  return resolved(id, now + round_ns(parts_.work.cost(iterations_[id].resolution)));
}

/// The time is known when all successors are resolved.
ControlLoop::Stage ControlLoop::resolved(std::uint32_t id, TimePoint at) {
  iterations_[id].resolved = parts_.early.on() ? ring(iterations_[id], at) : at;
  if (parts_.events.tells_steps()) tell_steps(id, iterations_[id]);
  return push_next(iterations_[id]);
}

/// Tasks that wait on their cores need no queue, nor do their other blocks; returns when all their doorbells are rung.
TimePoint ControlLoop::ring(Iteration& iteration, TimePoint now) {
  std::erase_if(iteration.resolution.ready, [&](TaskId task) {
    const std::vector<std::uint32_t> cores = parts_.early.waits_on(task);
    if (!cores.empty()) now = parts_.deliveries.ring(task, cores, now);
    return !cores.empty();
  });
  return now;
}

/// Ready tasks go to the queue in groups as they are found, spread over the time that takes; the last one as the completions are released.
ControlLoop::Stage ControlLoop::push_next(const Iteration& iteration) const {
  const std::size_t ready = iteration.resolution.ready.size();
  const std::size_t group = parts_.work.group();
  if (ready - iteration.pushed > group) {
    const TimePoint begin = iteration.began + round_ns(iteration.taking_in);
    const auto groups = static_cast<std::int64_t>((ready + group - 1) / group);
    const auto next = static_cast<std::int64_t>(iteration.pushed / group + 1);
    if (begin < iteration.resolved) return {EventKind::kPushed, begin + (iteration.resolved - begin) * next / groups};
  }
  return {EventKind::kRelease, iteration.resolved};
}

ControlLoop::Stage ControlLoop::push_group(std::uint32_t id, TimePoint now) {
  Iteration& iteration = iterations_[id];
  const std::size_t group = parts_.work.group();
  parts_.ready.push(id, std::span(iteration.resolution.ready).subspan(iteration.pushed, group), now);
  iteration.pushed += group;
  return push_next(iteration);
}

ControlLoop::Stage ControlLoop::release(std::uint32_t id, TimePoint now) {
  const Iteration& iteration = iterations_[id];
  parts_.intake.release(id, iteration, now);
  const bool any = !iteration.seen.empty();
  if (any) {
    parts_.events.completions_seen(now);
    parts_.parking.cores_freed(id, now);
  }
  for (const TaskId task : std::span(iteration.given).subspan(iteration.served)) parts_.events.ready(task, now);
  const TimePoint pushed = parts_.ready.push(id, std::span(iteration.resolution.ready).subspan(iteration.pushed), now);
  return {EventKind::kHandOver, any ? pushed + count_ : pushed};
}

std::optional<ControlLoop::Stage> ControlLoop::hand_over(std::uint32_t id, TimePoint now) {
  const HandOver::Result result = parts_.hand_over.round(id, iterations_[id], now);
  if (iterations_[id].handed > 0) parts_.ready.heads_taken(id, result.end);
  if (parts_.early.on()) parts_.parking.found_early(id, parts_.early.take_found(), result.end);
  if (result.again) return Stage{EventKind::kHandOver, result.end};
  end(id, result.end);
  return std::nullopt;
}

/// An iteration that did nothing parks the control core.
void ControlLoop::end(std::uint32_t id, TimePoint now) {
  const Iteration& iteration = iterations_[id];
  if (iteration.handed == 0 && iteration.seen.empty()) {
    parts_.parking.park(id, now, round_ns(iteration.sweep));
    return;
  }
  parts_.events.busy(DispatcherId{id}, iteration.began, now);
  parts_.parking.begin_next(id, now);
}

/// Idle sweeps are no steps.
void ControlLoop::tell_steps(std::uint32_t id, const Iteration& iteration) const {
  if (iteration.seen.empty()) return;
  const TimePoint polled = iteration.began + round_ns(iteration.sweep);
  const TimePoint served = iteration.began + round_ns(iteration.sweep + iteration.serving);
  const TimePoint completed = std::min(iteration.resolved, iteration.began + round_ns(iteration.taking_in));
  parts_.events.step(DispatcherId{id}, StepKind::kPoll, iteration.began, polled);
  parts_.events.step(DispatcherId{id}, StepKind::kDispatch, polled, served);
  parts_.events.step(DispatcherId{id}, StepKind::kComplete, served, completed);
  parts_.events.step(DispatcherId{id}, StepKind::kResolve, completed, iteration.resolved);
}

}  // namespace tasktwin::sim
