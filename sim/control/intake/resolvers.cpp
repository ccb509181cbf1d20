#include "sim/control/intake/resolvers.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

namespace {

/// Keeps these draws apart from all others.
constexpr std::uint64_t kBackoff = 0x4e50'1ce5;

}  // namespace

Resolvers::Resolvers(const WiringInputs& inputs, EventSemaphores& semaphores, Listener& listener)
    : calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      hops_(inputs.machine, inputs.design),
      backoff_ns_(inputs.design.backoff_ns),
      random_(mix(inputs.chance) ^ kBackoff),
      resolvers_(static_cast<std::size_t>(inputs.design.resolvers)),
      work_(make_successor_work(inputs.graph, semaphores, inputs.machine.control, Lanes(inputs.machine.control_cores.lanes),
                                resolvers_.size(), RowHeads::kTakeTime)) {
  for (Resolver& resolver : resolvers_) resolver.id = events_.add_control_core(ControlRole::kResolver);
}

void Resolvers::send(std::uint32_t dispatcher, TaskId task, TimePoint now) {
  const auto which = static_cast<std::uint32_t>(dispatcher % resolvers_.size());
  Resolver& resolver = resolvers_[which];
  const TimePoint visible = now + hops_.between(DispatcherId{dispatcher}, resolver.id);
  resolver.inbox.push_back({task, visible});
  if (!resolver.parked) return;
  resolver.parked = false;
  look_at(which, visible + Duration{backoff_ns_ == 0 ? 0 : random_.between(0, backoff_ns_)});
}

void Resolvers::look_at(std::uint32_t which, TimePoint earliest) {
  Resolver& resolver = resolvers_[which];
  calendar_.schedule(std::max(earliest, resolver.inbox.front().visible), EventKind::kInbox, which, *this);
}

void Resolvers::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kArrived) {
    const Batch batch = std::exchange(handed_on_[subject], {});
    return listener_.resolved(batch.ready, batch.events, now);
  }
  Resolver& resolver = resolvers_[subject];
  if (kind == EventKind::kInbox) {
    std::vector<TaskId> completed;
    while (!resolver.inbox.empty() && resolver.inbox.front().visible <= now) {
      completed.push_back(resolver.inbox.front().task);
      resolver.inbox.pop_front();
    }
    resolver.at_work.clear();
    work_->tell(subject, completed, resolver.at_work);
    resolver.began = now;
    walk(subject, now);
    return;
  }
  if (kind == EventKind::kCounters) {
    walk(subject, now);
    return;
  }
  const Duration hop = hops_.to_dispatchers(resolver.id);
  if (hop == Duration{0}) {
    listener_.resolved(resolver.at_work.ready, resolver.at_work.events, now);
  } else if (!resolver.at_work.ready.empty() || !resolver.at_work.events.empty()) {
    handed_on_.push_back({resolver.at_work.ready, resolver.at_work.events});
    calendar_.schedule(now + hop, EventKind::kArrived, static_cast<std::uint32_t>(handed_on_.size() - 1), *this);
  }
  resolver.parked = resolver.inbox.empty();
  if (!resolver.parked) look_at(subject, now);
}

void Resolvers::walk(std::uint32_t which, TimePoint now) {
  if (const auto next = work_->go_on(which, now)) {
    calendar_.schedule(*next, EventKind::kCounters, which, *this);
  } else {
    finish(which, now);
  }
}

/// What is left once all counters are decremented.
void Resolvers::finish(std::uint32_t which, TimePoint now) {
  const Resolver& resolver = resolvers_[which];
  const TimePoint end = now + round_ns(work_->cost(resolver.at_work));
  events_.busy(resolver.id, resolver.began, end);
  events_.step(resolver.id, StepKind::kResolve, resolver.began, end);
  calendar_.schedule(end, EventKind::kResolved, which, *this);
}

}  // namespace tasktwin::sim
