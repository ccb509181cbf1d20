#include "sim/control/dispatcher.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

namespace {

/// Keeps these draws apart from all others.
constexpr std::uint64_t kBackoff = 0xd15'4a7c4;

}  // namespace

Dispatchers::Dispatchers(const WiringInputs& inputs)
    : graph_(inputs.graph),
      design_(inputs.design),
      constants_(inputs.machine),
      durations_(inputs.durations),
      chance_(inputs.chance),
      calendar_(inputs.calendar),
      timeline_(inputs.timeline),
      log_(inputs.timeline, inputs.record_steps),
      lanes_(std::max(1, inputs.machine.control_cores.lanes)),
      random_(mix(inputs.chance) ^ kBackoff),
      shares_(inputs, static_cast<std::size_t>(dispatcher_count(design_, inputs.machine))),
      semaphores_(graph_, inputs.machine, design_),
      loads_(timeline_.cores.size()),
      queues_(inputs, shares_.core_counts(static_cast<std::size_t>(dispatcher_count(design_, inputs.machine))), loads_),
      cores_(inputs, PublishCost::to_dispatcher(constants_), *this),
      mailboxes_(timeline_.cores.size()),
      has_had_task_(timeline_.cores.size()),
      received_(constants_.mailboxes.hop_sigma > Nanoseconds{0} ? timeline_.cores.size() : 0),
      blocks_handed_(graph_.has_wide_tasks() && design_.gang == Gang::kApart ? graph_.size() : 0),
      dispatchers_(make_dispatchers(static_cast<std::size_t>(dispatcher_count(design_, inputs.machine)), shares_, log_)),
      resolvers_(inputs, semaphores_, log_, *this),
      orchestrators_(inputs, log_, *this),
      alone_(dispatchers_.size() == 1 && !resolvers_.any() && !orchestrators_.any()),
      weighs_loads_(!is_static(design_.placement) && design_.placement != Placement::kAnyIdle),
      wide_(graph_.has_wide_tasks()),
      passes_by_(queues_.single() && !locks_queues(design_, graph_, dispatchers_.size()) && shares_.size() == dispatchers_.size() &&
                 !resolvers_.any() && design_.placement == Placement::kAnyIdle && design_.stealing == Stealing::kOff &&
                 inputs.machine.compute_cores.size() == 1),
      host_threads_(design_.driver == Driver::kHostDispatcher && dispatchers_.size() > 1 && queues_.single()) {
  shares_.check_fits(inputs);
  if (!resolvers_.any()) walks_ = CounterWalks::where_needed(graph_.size(), dispatchers_.size(), lanes_, constants_.control);
  if (!queues_.per_worker() && design_.placement != Placement::kAnyIdle) policy_ = make_core_policy(design_.placement, graph_, timeline_);
  for (std::size_t share = 0; share < shares_.size(); ++share) {
    CoreCounts& told = told_idle_.emplace_back();
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) told[type] = shares_[share].owned.count(0, CoreType(type));
  }
}

std::vector<Dispatchers::Dispatcher> Dispatchers::make_dispatchers(std::size_t count, const CoreShares& shares, ControlLog& log) {
  std::vector<Dispatcher> dispatchers(count);
  for (std::size_t d = 0; d < count; ++d) {
    log.add(ControlRole::kScheduler);
    dispatchers[d].share = shares.share_of_dispatcher(d);
  }
  return dispatchers;
}

void Dispatchers::begin(TimePoint opened) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (!orchestrators_.any()) known_ += semaphores_.blocks_left(task_id(i));
    if (!semaphores_.open(task_id(i))) continue;
    timeline_.tasks[i].ready = TimePoint{};
    queues_.push(std::nullopt, task_id(i));
  }
  for (std::uint32_t d = 0; d < dispatchers_.size(); ++d) begin_next(d, opened);
  orchestrators_.begin();
}

void Dispatchers::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  switch (kind) {
    case EventKind::kIteration:
      if (dispatchers_[subject].next == now) iterate(subject, now);  // else it was woken earlier than that
      break;
    case EventKind::kLook:
      if (dispatchers_[subject].parked && dispatchers_[subject].look == now) look_at_queue(subject, now);
      break;
    case EventKind::kCounters:
      walk(subject, now);
      break;
    case EventKind::kPushed:
      push_group(subject, now);
      break;
    case EventKind::kRelease:
      calendar_.schedule(release(subject, now), EventKind::kHandOver, subject, *this);
      break;
    default:
      if (const auto further = hand_over(subject, now)) calendar_.schedule(*further, EventKind::kHandOver, subject, *this);
      break;
  }
}

void Dispatchers::Dispatcher::begin(TimePoint now) {
  parked = false;
  next = kAbsent;
  look = kAbsent;
  began = now;
  seen.clear();
  completed.clear();
  resolution.clear();
  handed = 0;
  freed = 0;
}

void Dispatchers::iterate(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  CoreShare& share = shares_[dispatcher.share];
  tell_idle(id, now);
  dispatcher.begin(now);
  dispatcher.sweep = share.full_sweep;
  if (design_.sweep == Sweep::kBusyCores) dispatcher.sweep = sweep_of(share.owned.busy());
  while (!share.completions.empty() && share.completions.front().time <= now) {
    const std::uint32_t core = share.completions.front().core;
    std::ranges::pop_heap(share.completions, std::greater{});
    share.completions.pop_back();
    if (design_.loop == Loop::kInterleaved) {
      ++share.visible[core];
    } else {
      see(dispatcher, core);
    }
  }
  if (design_.loop == Loop::kInterleaved) see_next(dispatcher, share);
  serve_waiting(dispatcher);
  if (!resolvers_.any()) dispatcher.resolution.tell(graph_, semaphores_, dispatcher.completed, lanes_);
  if (lanes_ > 1) dispatcher.resolution.rows = 0;  // a lane that takes a completion in works on the head of its row as well

  const Nanoseconds passing_on = pass_by(dispatcher);
  if (design_.driver == Driver::kHostDispatcher && !dispatcher.seen.empty()) dispatcher.sweep += constants_.control.first_complete;
  dispatcher.taken_in =
      dispatcher.sweep + dispatcher.serving + static_cast<double>(rounds(dispatcher.seen.size())) * constants_.control.complete + passing_on;
  const TimePoint taken_in = now + round_ns(dispatcher.taken_in);
  if (walks_) {
    dispatcher.resolution.tell_apart();
    walks_->begin(id, graph_, dispatcher.completed);
    calendar_.schedule(taken_in, EventKind::kCounters, id, *this);
    return;
  }
  const TimePoint resolved = now + round_ns(dispatcher.taken_in + dispatcher.resolution.cost(constants_, lanes_));
  resolve_until(id, resolved);
  if (!alone_) {
    calendar_.schedule(resolved, EventKind::kRelease, id, *this);
    return;
  }
  // Nobody else can come between: no further events.
  std::optional<TimePoint> round = release(id, resolved);
  while (round) round = hand_over(id, *round);
}

/// It comes to the next line of counters, or has told all successors.
void Dispatchers::walk(std::uint32_t id, TimePoint now) {
  if (const auto next = walks_->go_on(id, now)) {
    calendar_.schedule(*next, EventKind::kCounters, id, *this);
    return;
  }
  const TimePoint resolved = now + round_ns(dispatchers_[id].resolution.cost(constants_, lanes_));
  resolve_until(id, resolved);
  calendar_.schedule(resolved, EventKind::kRelease, id, *this);
}

/// What there is to do by when the completions are released.
void Dispatchers::resolve_until(std::uint32_t id, TimePoint resolved) {
  if (log_.records_steps()) log_iteration(id, resolved);
  const Dispatcher& dispatcher = dispatchers_[id];
  push_in_groups(id, dispatcher.began + round_ns(dispatcher.taken_in), resolved);
}

/// The completion of the first task in the core's mailbox.
void Dispatchers::see(Dispatcher& dispatcher, std::uint32_t core) {
  Mailbox& mailbox = mailboxes_[core];
  const TaskId task = mailbox.tasks[mailbox.first];
  mailbox.first = (mailbox.first + 1) % kMaxMailboxDepth;
  if (++mailbox.seen == mailbox.count) ++dispatcher.freed;
  const bool last_block = semaphores_.block_done(task);
  dispatcher.seen.push_back({core, task, last_block});
  if (last_block) dispatcher.completed.push_back(task);
}

/// With those that the completions just seen leave without a task.
std::int64_t Dispatchers::idle_cores(const Dispatcher& dispatcher) const {
  const OwnedCores& owned = shares_[dispatcher.share].owned;
  return static_cast<std::int64_t>(owned.count() - owned.busy()) + dispatcher.freed;
}

/// If idle cores can have all that wait.
void Dispatchers::serve_waiting(Dispatcher& dispatcher) {
  dispatcher.given.clear();
  dispatcher.serving = {};
  dispatcher.takes = true;
  if (!passes_by_ || dispatcher.seen.empty()) return;
  const CoreType type = timeline_.cores.front();
  const std::size_t waiting = queues_.size(0, type);
  if (static_cast<std::int64_t>(waiting) > idle_cores(dispatcher)) return;
  dispatcher.takes = false;
  if (waiting == 0) return;
  const TimePoint swept = dispatcher.began + round_ns(dispatcher.sweep);
  dispatcher.serving = constants_.control.claim + Nanoseconds{queues_.operate(0, type, swept) - swept};
  for (std::size_t i = 0; i < waiting; ++i) dispatcher.given.push_back(queues_.pop(0, type));
  handed_ += waiting;
}

/// What becomes ready goes to the idle cores left. Returns how long finding them takes.
Nanoseconds Dispatchers::pass_by(Dispatcher& dispatcher) {
  if (dispatcher.takes) return {};
  Resolution& found = dispatcher.resolution;
  const auto idle = static_cast<std::size_t>(idle_cores(dispatcher)) - dispatcher.given.size();
  const std::size_t direct = std::min(idle, found.by_heads);
  std::size_t turns = 0;
  for (std::size_t i = 0; i < found.by_head.size() && direct > 0; ++i) {
    const Mailbox& mailbox = mailboxes_[dispatcher.seen[i].core];
    const std::size_t own = mailbox.seen == mailbox.count ? 1 : 0;
    turns = std::max(turns, found.by_head[i] - std::min(found.by_head[i], own));
  }
  const auto end = found.ready.begin() + static_cast<std::ptrdiff_t>(direct);
  dispatcher.given.insert(dispatcher.given.end(), found.ready.begin(), end);
  found.ready.erase(found.ready.begin(), end);
  handed_ += direct;
  dispatcher.takes = direct < found.by_heads || found.beyond > 0;
  return static_cast<double>(turns) * constants_.control.pass_on;
}

/// An interleaved sweep: from the cursor to the next core with a completion, if there is one.
void Dispatchers::see_next(Dispatcher& dispatcher, CoreShare& share) {
  const std::vector<std::uint32_t>& cores = share.owned.cores();
  std::size_t polled = 0;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const std::size_t at = (dispatcher.cursor + i) % cores.size();
    if (design_.sweep == Sweep::kAllCores || !share.owned.is_at(0, cores[at])) ++polled;
    if (share.visible[cores[at]] == 0) continue;
    --share.visible[cores[at]];
    see(dispatcher, cores[at]);
    dispatcher.cursor = (at + 1) % cores.size();
    dispatcher.sweep = sweep_of(polled);
    return;
  }
}

TimePoint Dispatchers::release(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  OwnedCores& owned = shares_[dispatcher.share].owned;
  for (const Seen& seen : dispatcher.seen) {
    Mailbox& mailbox = mailboxes_[seen.core];
    owned.move(seen.core, mailbox.count, mailbox.count - 1);
    --mailbox.seen;
    --mailbox.count;
    if (weighs_loads_) loads_[seen.core] = {static_cast<int>(mailbox.count), loads_[seen.core].expected - durations_[index(seen.task)]};
    if (!seen.last_block) continue;
    if (resolvers_.any()) resolvers_.send(id, seen.task, now);
    if (orchestrators_.any()) orchestrators_.completed(seen.task, now);
  }
  if (!dispatcher.seen.empty()) {
    timeline_.seen = now;
    wake_others_of_share(id, now);
  }
  for (const TaskId task : dispatcher.given) {
    if (TimePoint& ready = timeline_.tasks[index(task)].ready; !is_present(ready)) ready = now;
  }
  const std::vector<TaskId>& ready = dispatcher.resolution.ready;
  const TimePoint pushed = push(id, std::span(ready).subspan(dispatcher.pushed), now);
  return host_threads_ && !dispatcher.seen.empty() ? pushed + round_ns(constants_.control.count) : pushed;
}

/// Several lanes put what goes to the queue there as they find it, from `begin` to `end`; the last when the completions are released.
void Dispatchers::push_in_groups(std::uint32_t id, TimePoint begin, TimePoint end) {
  Dispatcher& dispatcher = dispatchers_[id];
  dispatcher.pushed = 0;
  const std::vector<TaskId>& ready = dispatcher.resolution.ready;
  const std::int64_t groups = rounds(ready.size());
  if (lanes_ == 1 || groups <= 1 || begin == end) return;
  for (std::int64_t group = 1; group < groups; ++group) {
    const TimePoint at = begin + (end - begin) * group / groups;
    if (alone_) {
      push_group(id, at);
    } else {
      calendar_.schedule(at, EventKind::kPushed, id, *this);
    }
  }
}

void Dispatchers::push_group(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  const auto some = static_cast<std::size_t>(lanes_);
  push(id, std::span(dispatcher.resolution.ready).subspan(dispatcher.pushed, some), now);
  dispatcher.pushed += some;
}

/// Cores that have become free let those who look after them too hand over what waits.
void Dispatchers::wake_others_of_share(std::uint32_t id, TimePoint now) {
  if (queues_.single()) return;  // this one takes it itself
  for (const std::uint32_t other : shares_[dispatchers_[id].share].dispatchers) {
    if (other != id && dispatchers_[other].parked) wake(other, now);
  }
}

/// Those that stand next to each other and go to one queue do so in one operation. Returns when the last is over.
TimePoint Dispatchers::push(std::optional<std::uint32_t> by, std::span<const TaskId> ready, TimePoint now) {
  std::optional<DispatchQueues::Pushed> before;
  for (const TaskId task : ready) {
    const DispatchQueues::Pushed pushed = queues_.push(by, task);
    if (!before || !queues_.held_together(*before, pushed))
      now = queues_.operate(pushed.shard, pushed.type, now, coming_to_queue(by, Nanoseconds{0}));
    if (!alone_ && (!before || before->shard != pushed.shard || before->type != pushed.type)) wake_takers(by, pushed, now);
    timeline_.tasks[index(task)].ready = now;
    before = pushed;
  }
  return now;
}

/// What an operation on the queue takes longer for a thread of the host where another was there last, or less where that was itself.
Nanoseconds Dispatchers::coming_to_queue(std::optional<std::uint32_t> by, Nanoseconds from_another) {
  if (!host_threads_ || !by) return {};
  const std::optional<std::uint32_t> last = std::exchange(last_at_queue_, by);
  if (!last) return {};
  return last == by ? -constants_.control.queue_reuse : from_another;
}

void Dispatchers::submitted(TaskId task, TimePoint now) {
  known_ += semaphores_.blocks_left(task);
  if (semaphores_.signal(task)) push(std::nullopt, {&task, 1}, now);
}

void Dispatchers::end_iteration(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  if (dispatcher.handed == 0 && dispatcher.seen.empty()) {
    park(id, now);
    return;
  }
  if (!host_threads_ || dispatcher.handed > 0) now += round_ns(constants_.control.round);  // they take it to hand over
  log_.busy(id, dispatcher.began, now);
  begin_next(id, now);
}

void Dispatchers::park(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  const CoreShare& share = shares_[dispatcher.share];
  dispatcher.parked = true;
  dispatcher.sweeps_from = now;
  if (!share.completions.empty()) wake(id, share.completions.front().time);
}

void Dispatchers::wake(std::uint32_t id, TimePoint at) {
  const TimePoint begin = idle_sweep_end(id, at);
  if (!is_present(dispatchers_[id].next) || begin < dispatchers_[id].next) begin_next(id, begin);
}

/// Of the sweep under way at that time.
TimePoint Dispatchers::idle_sweep_end(std::uint32_t id, TimePoint at) {
  const Dispatcher& dispatcher = dispatchers_[id];
  if (design_.backoff_ns > 0) at += Duration{random_.between(0, design_.backoff_ns)};
  const Duration sweep = round_ns(dispatcher.sweep);
  const TimePoint begin = std::max(at, dispatcher.sweeps_from);
  if (sweep == Duration{0}) return begin;
  return dispatcher.sweeps_from + (begin - dispatcher.sweeps_from + sweep - Duration{1}) / sweep * sweep;
}

/// At the end of an idle sweep.
void Dispatchers::look_at_queue(std::uint32_t id, TimePoint now) {
  Dispatcher& dispatcher = dispatchers_[id];
  dispatcher.begin(now);
  dispatcher.given.clear();
  dispatcher.takes = true;
  if (const auto further = hand_over(id, now)) calendar_.schedule(*further, EventKind::kHandOver, id, *this);
}

/// Where others want to know. If fewer are, those parked may fill ahead.
void Dispatchers::tell_idle(std::uint32_t id, TimePoint now) {
  if (design_.fill != Fill::kWhenNoCoreIdle || design_.mailbox_depth == 1) return;
  const std::uint32_t share = dispatchers_[id].share;
  for (std::size_t t = 0; t < kCoreTypeCount; ++t) {
    const auto type = CoreType(t);
    const std::size_t idle = shares_[share].owned.count(0, type);
    const std::size_t before = std::exchange(told_idle_[share][t], idle);
    if (alone_ || idle >= before) continue;
    for (std::size_t shard = 0; shard < queues_.shards(); ++shard) {
      if (queues_.empty(shard, type)) continue;
      const TimePoint there = timeline_.tasks[index(queues_.front(shard, type))].ready;  // its push may still be under way
      wake_takers(id, {shard, type}, std::max(now, there));
    }
  }
}

/// After a push those parked that could take it as things stand after it look at the queue.
void Dispatchers::wake_takers(std::optional<std::uint32_t> by, const DispatchQueues::Pushed& pushed, TimePoint now) {
  for (std::uint32_t other = 0; other < dispatchers_.size(); ++other) {
    if (other == by || !dispatchers_[other].parked || !queues_.reaches(other, pushed.shard)) continue;
    const CoreShare& share = shares_[dispatchers_[other].share];
    bool takes = pushed.type == CoreType::kMix && !share.clusters.empty();
    const int levels = may_fill(other, pushed.type) ? design_.mailbox_depth : 1;
    for (int level = 0; level < levels && !takes; ++level) takes = share.owned.any(static_cast<std::uint32_t>(level), pushed.type);
    if (!takes) continue;
    Dispatcher& taker = dispatchers_[other];
    const TimePoint look = idle_sweep_end(other, now);
    if (is_present(taker.look) && taker.look <= look) continue;
    taker.look = look;
    calendar_.schedule(look, EventKind::kLook, other, *this);
  }
}

void Dispatchers::begin_next(std::uint32_t id, TimePoint at) {
  dispatchers_[id].next = at;
  calendar_.schedule(at, EventKind::kIteration, id, *this);
}

/// Idle sweeps are no steps.
void Dispatchers::log_iteration(std::uint32_t id, TimePoint resolved) {
  const Dispatcher& dispatcher = dispatchers_[id];
  if (dispatcher.seen.empty()) return;
  const TimePoint polled = dispatcher.began + round_ns(dispatcher.sweep);
  const TimePoint served = dispatcher.began + round_ns(dispatcher.sweep + dispatcher.serving);
  const TimePoint completed = std::min(resolved, dispatcher.began + round_ns(dispatcher.taken_in));
  log_.step(id, StepKind::kPoll, dispatcher.began, polled);
  log_.step(id, StepKind::kDispatch, polled, served);
  log_.step(id, StepKind::kComplete, served, completed);
  log_.step(id, StepKind::kResolve, completed, resolved);
}

void Dispatchers::will_publish(CoreId core, TaskId /*task*/, TimePoint /*slot_free*/, TimePoint published) {
  CoreShare& share = shares_[shares_.of(index(core))];
  const TimePoint visible = published + round_ns(constants_.mailboxes.completion_hop);
  share.completions.push_back({visible, static_cast<std::uint32_t>(index(core))});
  std::ranges::push_heap(share.completions, std::greater{});
  for (const std::uint32_t dispatcher : share.dispatchers) {
    if (dispatchers_[dispatcher].parked) wake(dispatcher, visible);
  }
}

}  // namespace tasktwin::sim
