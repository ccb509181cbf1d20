#include "sim/control/resolvers.hpp"

#include <algorithm>
#include <ranges>

namespace tasktwin::sim {

namespace {

constexpr std::int64_t rounds(std::int64_t items, std::int64_t lanes) { return (items + lanes - 1) / lanes; }

/// Keeps these draws apart from all others.
constexpr std::uint64_t kBackoff = 0x4e50'1ce5;

}  // namespace

void Resolution::clear() {
  rows = 0;
  beyond = 0;
  spawned = spawned_by = in_heads = 0;
  ready.clear();
  by_heads = 0;
  by_head.clear();
}

void Resolution::tell(const TaskGraph& graph, EventSemaphores& semaphores, std::span<const TaskId> completed, std::int64_t lanes) {
  const std::int64_t head = lanes > 1 ? kRowHead : 1;
  const auto first_batch = lanes > 1 ? head : static_cast<std::int64_t>(graph.size());  // one lane goes through row after row
  for (const TaskId task : completed) {
    const auto edges = static_cast<std::int64_t>(graph.out_degree(task));
    rows += edges > 0 ? 1 : 0;
    beyond += std::max<std::int64_t>(0, edges - head);
    const std::int64_t before = spawned;
    for (const TaskId successor : graph.successors(task) | std::views::take(first_batch)) tell_one(graph, semaphores, task, successor);
    spawned_by += spawned > before ? 1 : 0;
    by_head.push_back(ready.size() - by_heads);
    by_heads = ready.size();
  }
  in_heads = spawned;
  for (const TaskId task : completed) {
    for (const TaskId successor : graph.successors(task) | std::views::drop(first_batch)) tell_one(graph, semaphores, task, successor);
  }
}

void Resolution::tell_one(const TaskGraph& graph, EventSemaphores& semaphores, TaskId completed, TaskId successor) {
  if (semaphores.signal(successor)) ready.push_back(successor);
  if (graph.has_spawns() && graph.spawner(successor) == completed) ++spawned;
}

Nanoseconds Resolution::cost(const AsRun& c, std::int64_t lanes) const {
  const Nanoseconds told =
      static_cast<double>(rounds(rows, lanes) + rounds(beyond, lanes)) * c.control.resolve + (lanes > 1 && beyond > 0 ? c.control.walk : Nanoseconds{0});
  const Nanoseconds queued = static_cast<double>(rounds(static_cast<std::int64_t>(ready.size()), lanes)) * c.control.enqueue;
  const std::int64_t lots = lanes > 1 ? rounds(spawned_by, lanes) + rounds(spawned - in_heads, lanes) : spawned;
  return told + queued + static_cast<double>(lots) * c.control.spawn;
}

Resolvers::Resolvers(const WiringInputs& inputs, EventSemaphores& semaphores, ControlLog& log, Listener& listener)
    : graph_(inputs.graph),
      constants_(inputs.machine),
      calendar_(inputs.calendar),
      semaphores_(semaphores),
      log_(log),
      listener_(listener),
      lanes_(std::max(1, inputs.machine.control_cores.lanes)),
      hop_(round_ns(constants_.control.hop)),
      backoff_ns_(inputs.design.backoff_ns),
      random_(mix(inputs.chance) ^ kBackoff),
      resolvers_(static_cast<std::size_t>(inputs.design.resolvers)) {
  for (Resolver& resolver : resolvers_) resolver.id = log.add(ControlRole::kResolver);
  walks_ = CounterWalks::where_needed(graph_.size(), resolvers_.size(), lanes_, constants_.control);
}

void Resolvers::send(std::uint32_t dispatcher, TaskId task, TimePoint now) {
  const auto which = static_cast<std::uint32_t>(dispatcher % resolvers_.size());
  Resolver& resolver = resolvers_[which];
  resolver.inbox.push_back({task, now + hop_});
  if (!resolver.parked) return;
  resolver.parked = false;
  look_at(which, now + hop_ + Duration{backoff_ns_ == 0 ? 0 : random_.between(0, backoff_ns_)});
}

void Resolvers::look_at(std::uint32_t which, TimePoint earliest) {
  Resolver& resolver = resolvers_[which];
  calendar_.schedule(std::max(earliest, resolver.inbox.front().visible), EventKind::kInbox, which, *this);
}

void Resolvers::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  Resolver& resolver = resolvers_[subject];
  if (kind == EventKind::kInbox) {
    std::vector<TaskId> completed;
    while (!resolver.inbox.empty() && resolver.inbox.front().visible <= now) {
      completed.push_back(resolver.inbox.front().task);
      resolver.inbox.pop_front();
    }
    resolver.at_work.clear();
    resolver.at_work.tell(graph_, semaphores_, completed, lanes_);
    resolver.began = now;
    if (walks_) {
      resolver.at_work.tell_apart();
      walks_->begin(subject, graph_, completed);
      walk(subject, now);
    } else {
      finish(resolver, subject, now);
    }
    return;
  }
  if (kind == EventKind::kCounters) {
    walk(subject, now);
    return;
  }
  listener_.resolved(resolver.at_work.ready, now);
  resolver.parked = resolver.inbox.empty();
  if (!resolver.parked) look_at(subject, now);
}

void Resolvers::walk(std::uint32_t which, TimePoint now) {
  if (const auto next = walks_->go_on(which, now)) {
    calendar_.schedule(*next, EventKind::kCounters, which, *this);
  } else {
    finish(resolvers_[which], which, now);
  }
}

/// What is left once all counters are decremented.
void Resolvers::finish(Resolver& resolver, std::uint32_t which, TimePoint now) {
  const TimePoint end = now + round_ns(resolver.at_work.cost(constants_, lanes_));
  log_.busy(resolver.id, resolver.began, end);
  log_.step(resolver.id, StepKind::kResolve, resolver.began, end);
  calendar_.schedule(end, EventKind::kResolved, which, *this);
}

}  // namespace tasktwin::sim
