#include "sim/dispatcher.hpp"

#include <algorithm>

#include "models/body_cost.hpp"

namespace tasktwin::sim {

namespace {

std::unique_ptr<TaskOrderPolicy> task_order(const WiringInputs& inputs) {
  const std::vector<Duration> durations = expected_durations(inputs.graph, inputs.machine);
  return make_task_order(inputs.design.order, {inputs.graph, durations, inputs.seed});
}

}  // namespace

Dispatchers::Dispatchers(const WiringInputs& inputs)
    : graph_(inputs.graph),
      design_(inputs.design),
      constants_(inputs.machine.constants),
      calendar_(inputs.calendar),
      timeline_(inputs.timeline),
      lanes_(std::max(1, inputs.machine.control_cores.lanes)),
      mailbox_hop_(round_ns(constants_.mailbox_hop)),
      completion_hop_(round_ns(constants_.completion_hop)),
      semaphores_(graph_),
      queues_(task_order(inputs), design_.order),
      cores_(calendar_, graph_, inputs.machine, PublishCost::to_dispatcher(constants_), inputs.costs, timeline_, *this),
      mailboxes_(timeline_.cores.size()) {
  for (const CoreType type : timeline_.cores) ++idle_cores_[static_cast<std::size_t>(type)];
  const auto count = static_cast<std::uint32_t>(dispatcher_count(design_, inputs.machine));
  timeline_.dispatchers.resize(count);
  for (std::uint32_t d = 0; d < count; ++d) {
    Dispatcher& dispatcher = dispatchers_.emplace_back(OwnedCores(timeline_.cores, d, count, design_.mailbox_depth));
    dispatcher.sweep = constants_.poll + static_cast<double>(rounds(dispatcher.owned.count())) * constants_.poll_per_core;
  }
}

void Dispatchers::begin() {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (!semaphores_.open(task_id(i))) continue;
    timeline_.tasks[i].ready = TimePoint{};
    queues_.push(graph_[task_id(i)].core_type, task_id(i));
  }
  for (std::uint32_t d = 0; d < dispatchers_.size(); ++d) begin_next(d, TimePoint{});
}

void Dispatchers::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  switch (kind) {
    case EventKind::kIteration:
      if (dispatchers_[subject].next == now) iterate(subject, now);  // else it was woken earlier than that
      break;
    case EventKind::kRelease:
      release(subject, now);
      calendar_.schedule(now, EventKind::kHandOver, subject, *this);
      break;
    default:
      hand_over(subject, now);
      break;
  }
}

void Dispatchers::iterate(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  dispatcher.parked = false;
  dispatcher.next = kAbsent;
  dispatcher.began = now;
  dispatcher.seen.clear();
  dispatcher.ready.clear();
  std::size_t edges = 0;
  while (!dispatcher.completions.empty() && dispatcher.completions.front().time <= now) {
    const std::uint32_t core = dispatcher.completions.front().core;
    std::ranges::pop_heap(dispatcher.completions, std::greater{});
    dispatcher.completions.pop_back();
    Mailbox& mailbox = mailboxes_[core];
    const TaskId task = mailbox.tasks[mailbox.first];
    mailbox.first = (mailbox.first + 1) % kMaxMailboxDepth;
    dispatcher.seen.push_back({core, task});
    edges += graph_.out_degree(task);
    for (const TaskId successor : graph_.successors(task)) {
      if (semaphores_.signal(successor)) dispatcher.ready.push_back(successor);
    }
  }
  const TimePoint resolved = now + round_ns(dispatcher.sweep + static_cast<double>(rounds(dispatcher.seen.size())) * constants_.complete +
                                            static_cast<double>(rounds(edges)) * constants_.resolve +
                                            static_cast<double>(rounds(dispatcher.ready.size())) * constants_.enqueue);
  if (dispatchers_.size() > 1) {
    calendar_.schedule(resolved, EventKind::kRelease, id, *this);
  } else {  // nobody else can come between: no further events
    release(id, resolved);
    hand_over(id, resolved);
  }
}

void Dispatchers::release(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  std::uint32_t pushed_types = 0;
  for (const Seen& seen : dispatcher.seen) {
    Mailbox& mailbox = mailboxes_[seen.core];
    dispatcher.owned.move(seen.core, mailbox.count, mailbox.count - 1);
    if (--mailbox.count == 0) ++idle_cores_[static_cast<std::size_t>(timeline_.cores[seen.core])];
  }
  for (const TaskId task : dispatcher.ready) {
    timeline_.tasks[index(task)].ready = now;
    const CoreType type = graph_[task].core_type;
    queues_.push(type, task);
    pushed_types |= 1u << static_cast<unsigned>(type);
  }
  if (pushed_types != 0 && dispatchers_.size() > 1) wake_others(id, pushed_types, now);
}

void Dispatchers::hand_over(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  int handed = 0;
  for (std::uint32_t level = 0; level < static_cast<std::uint32_t>(design_.mailbox_depth); ++level) {
    std::uint32_t types = 0;
    for (unsigned type = 0; type < kCoreTypeCount; ++type) {
      if (!queues_.empty(CoreType(type)) && (level == 0 || may_fill(CoreType(type)))) types |= 1u << type;
    }
    if (types == 0) continue;
    dispatcher.owned.for_each(level, types, [&](std::uint32_t core) { handed += hand_next(id, core, now, handed) ? 1 : 0; });
  }
  const TimePoint end = handed == 0 ? now : now + handing_over(static_cast<int>(rounds(static_cast<std::size_t>(handed))));
  if (handed == 0 && dispatcher.seen.empty()) {
    park(id, end);
    return;
  }
  std::vector<Span>& busy = timeline_.dispatchers[id];
  if (!busy.empty() && busy.back().end == dispatcher.began) {
    busy.back().end = end;
  } else if (end > dispatcher.began) {
    busy.push_back({dispatcher.began, end});
  }
  begin_next(id, end);
}

/// From the begin of a hand-over to the end of its n-th round of up to `lanes_` tasks.
Duration Dispatchers::handing_over(int nth) const {
  return round_ns(constants_.hand_over + static_cast<double>(nth) * constants_.dispatch);
}

bool Dispatchers::hand_next(std::uint32_t id, std::uint32_t core, TimePoint now, int already) {
  const CoreType type = timeline_.cores[core];
  if (queues_.empty(type)) return false;
  const TaskId task = queues_.pop(type);
  Mailbox& mailbox = mailboxes_[core];
  mailbox.tasks[(mailbox.first + mailbox.count) % kMaxMailboxDepth] = task;
  if (mailbox.count == 0) --idle_cores_[static_cast<std::size_t>(type)];
  dispatchers_[id].owned.move(core, mailbox.count, mailbox.count + 1);
  ++mailbox.count;
  TaskTimes& times = timeline_.tasks[index(task)];
  times.dispatcher = DispatcherId{id};
  times.dispatched = now + handing_over(already / lanes_ + 1);
  cores_.receive(CoreId{core}, task, times.dispatched + mailbox_hop_);
  return true;
}

void Dispatchers::park(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  dispatcher.parked = true;
  dispatcher.sweeps_from = now;
  if (!dispatcher.completions.empty()) wake(id, dispatcher.completions.front().time);
}

void Dispatchers::wake(std::uint32_t id, TimePoint at) {
  Dispatcher& dispatcher = dispatchers_[id];
  const Duration sweep = round_ns(dispatcher.sweep);
  TimePoint begin = std::max(at, dispatcher.sweeps_from);
  if (sweep > Duration{0}) begin = dispatcher.sweeps_from + (begin - dispatcher.sweeps_from + sweep - Duration{1}) / sweep * sweep;
  if (!is_present(dispatcher.next) || begin < dispatcher.next) begin_next(id, begin);
}

/// A push wakes those parked that could take it as things stand after it.
void Dispatchers::wake_others(std::uint32_t id, std::uint32_t pushed_types, TimePoint now) {
  for (std::uint32_t other = 0; other < dispatchers_.size(); ++other) {
    if (other == id || !dispatchers_[other].parked) continue;
    const OwnedCores& owned = dispatchers_[other].owned;
    bool takes = false;
    for (unsigned type = 0; type < kCoreTypeCount; ++type) {
      if ((pushed_types >> type & 1) == 0) continue;
      const int levels = may_fill(CoreType(type)) ? design_.mailbox_depth : 1;
      for (int level = 0; level < levels && !takes; ++level) takes = owned.any(static_cast<std::uint32_t>(level), CoreType(type));
    }
    if (takes) wake(other, now);
  }
}

void Dispatchers::begin_next(std::uint32_t id, TimePoint at) {
  dispatchers_[id].next = at;
  calendar_.schedule(at, EventKind::kIteration, id, *this);
}

/// Whether a core of `type` that already holds a task may be given another.
bool Dispatchers::may_fill(CoreType type) const {
  return design_.fill == Fill::kAlways || idle_cores_[static_cast<std::size_t>(type)] == 0;
}

void Dispatchers::will_publish(CoreId core, TaskId /*task*/, TimePoint /*slot_free*/, TimePoint published) {
  const auto id = static_cast<std::uint32_t>(index(core) % dispatchers_.size());
  Dispatcher& dispatcher = dispatchers_[id];
  const TimePoint visible = published + completion_hop_;
  dispatcher.completions.push_back({visible, static_cast<std::uint32_t>(index(core))});
  std::ranges::push_heap(dispatcher.completions, std::greater{});
  if (dispatcher.parked) wake(id, visible);
}

}  // namespace tasktwin::sim
