#include "sim/streams/launcher.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

namespace {

constexpr std::uint32_t kNoLaunch = ~0u;

}  // namespace

int hardware_queues(const Machine& machine, const Design& design) {
  return design.hardware_queues > 0 ? design.hardware_queues : machine.launch_limits.hardware_queues;
}

std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<CoreType> types(stream_count(graph, design) * static_cast<std::uint32_t>(machine.devices.count()),
                              machine.compute_cores.empty() ? CoreType::kSm : machine.compute_cores.front().type);
  const std::vector<std::uint32_t> streams = assign_streams(graph, design);
  const std::vector<TaskId> order = launch_order(graph);
  for (std::size_t i = streams.size(); i-- > 0;) types[streams[i]] = graph[order[i]].core_type;
  return types;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> awaited_pairs(const std::vector<StreamLaunch>& plan, std::size_t tasks) {
  std::vector<std::uint32_t> position(tasks);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    position[index(plan[i].task)] = i;
    for (const TaskId awaited : plan[i].awaited) pairs.emplace_back(position[index(awaited)], i);
  }
  return pairs;
}

Launcher::Launcher(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, std::uint32_t streams, Listener& listener,
                   HostCalls* calls)
    : calendar_(inputs.calendar),
      listener_(listener),
      stream_times_(*inputs.machine.streams),
      host_calls_(*inputs.machine.host_calls),
      plan_(plan),
      events_(inputs.events),
      host_(events_.add_control_core(ControlRole::kHost)),
      how_(inputs.design.stream_wait),
      set_device_(inputs.machine.peers.where(inputs.graph.devices() > 1).set_device),
      current_device_(plan.empty() ? 0 : plan.front().device),
      position_(host_waits(how_) ? inputs.graph.size() : 0),
      last_(streams, kNoLaunch),
      next_in_stream_(plan.size(), kNoLaunch),
      ends_(plan.size(), kAbsent),
      calls_(calls),
      previous_in_stream_(calls ? plan.size() : 0, kNoLaunch) {
  if (inputs.program != nullptr) shares_ = host_shares(*inputs.program, inputs.graph.size());
  for (std::uint32_t i = 0; i < plan_.size(); ++i) {
    if (!position_.empty()) position_[index(plan_[i].task)] = i;
    std::uint32_t& before = last_[plan_[i].stream];
    if (before != kNoLaunch) next_in_stream_[before] = i;
    if (calls_) previous_in_stream_[i] = before;
    streams_in_use_ += before == kNoLaunch ? 1 : 0;
    before = i;
  }
  limit_streams(inputs);
  if (how_ == StreamWait::kCallback) followers_ = Followers(plan_.size(), awaited_pairs(plan_, plan_.size()));
}

void Launcher::limit_streams(const WiringInputs& inputs) {
  const auto limit = static_cast<std::size_t>(inputs.machine.launch_limits.stream_launches);
  if (limit == 0 || plan_.size() <= limit + 1) return;
  makes_room_.assign(plan_.size(), kNoLaunch);
  std::vector<std::vector<std::uint32_t>> held(last_.size());
  for (std::uint32_t i = 0; i < plan_.size(); ++i) {
    if (is_allocation(inputs.graph[plan_[i].task].operation)) continue;
    std::vector<std::uint32_t>& line = held[plan_[i].stream];
    if (line.size() > limit) makes_room_[i] = line[line.size() - limit - 1];
    line.push_back(i);
  }
}

/// Whether the launch finds no room in its stream; once it does, the host knows since when.
bool Launcher::blocked_by_stream(std::uint32_t launch) {
  const std::uint32_t oldest = makes_room_.empty() ? kNoLaunch : makes_room_[launch];
  blocked_ = oldest != kNoLaunch && !is_present(ends_[oldest]);
  if (oldest != kNoLaunch && !blocked_ && ends_[oldest] > now_) now_ = ends_[oldest] + round_ns(host_calls_.sync_latency);
  return blocked_;
}

void Launcher::begin() {
  std::ranges::fill(ends_, kAbsent);
  next_ = prepared_ = 0;
  ended_ = 0;
  if (calls_) {
    now_ = std::max(now_, last_end_);
    step_later(now_);
  } else {
    how_ == StreamWait::kCallback ? begin_callbacks() : go_on();
  }
}

TimePoint Launcher::meet(TimePoint now) {
  if (how_ != StreamWait::kEvents) {
    block_for(now);
    if (calls_) be_busy(round_ns(calls_->synchronised(now_)));
    return now;
  }
  if (streams_in_use_ == 1) return now + round_ns(stream_times_.gap);
  const double others = streams_in_use_ - 1;
  be_busy(round_ns((others + 1) * host_calls_.event_record + 2 * others * host_calls_.stream_wait));
  return now + round_ns(stream_times_.event_gap);
}

void Launcher::kernel_ended(std::uint32_t launch, TimePoint now) {
  ends_[launch] = last_end_ = now;
  ++ended_;
  if (calls_) {
    if (!stepping_) step(now);
  } else if (how_ == StreamWait::kCallback) {
    if (plan_[launch].records_event) calendar_.schedule(now + round_ns(host_calls_.callback_latency), EventKind::kHost, launch, *this);
    if (std::exchange(blocked_, false))
      calendar_.schedule(now + round_ns(host_calls_.sync_latency), EventKind::kHost, static_cast<std::uint32_t>(plan_.size()), *this);
  } else if (host_waits(how_) || blocked_) {
    go_on();
  }
}

/// As far as the host gets without a kernel that has not ended.
void Launcher::go_on() {
  for (; next_ < plan_.size(); ++next_, waited_ = 0) {
    spend_own_time();
    for (; waited_ < waits_of(plan_[next_]); ++waited_) {
      const TimePoint end = end_of(plan_[next_], waited_);
      if (!is_present(end)) return;
      wait_for(end);
    }
    if (blocked_by_stream(next_)) return;
    last_[plan_[next_].stream] = next_;
    call(next_);
  }
}

/// The host's next steps, until its own time is ahead of `now` or it waits for an end that has not come.
void Launcher::step(TimePoint now) {
  now_ = std::max(now_, now);
  while (next_ < plan_.size() || returning_ != kNoLaunch) {
    if (!advance(now)) return;
    if (now_ > now) return step_later(now_);
  }
}

void Launcher::step_later(TimePoint at) {
  stepping_ = true;
  calendar_.schedule(at, EventKind::kHost, static_cast<std::uint32_t>(plan_.size()), *this);
}

/// Before the next launch, once; whether there was any.
bool Launcher::spend_own_time() {
  if (shares_.empty() || prepared_ > next_) return false;
  prepared_ = next_ + 1;
  const Duration own = shares_[index(plan_[next_].task)].own;
  be_busy(own);
  return own > Duration{0};
}

/// Of the call that launches a kernel.
Nanoseconds Launcher::launch_time(std::uint32_t launch) {
  if (shares_.empty()) return host_calls_.launch + longer_at_first();
  return shares_[index(plan_[launch].task)].launch.value_or(round_ns(host_calls_.launch));
}

/// One step; false where the host waits for an end that has not come, or goes no further.
bool Launcher::advance(TimePoint now) {
  if (returning_ != kNoLaunch) {
    if (!is_present(ends_[returning_])) return false;
    now_ = std::max(now_, ends_[returning_] + round_ns(host_calls_.sync_latency));
    returning_ = kNoLaunch;
    return true;
  }
  if (spend_own_time()) return true;
  if (waited_ < waits_of(plan_[next_])) {
    const TimePoint end = end_of(plan_[next_], waited_);
    if (!is_present(end)) return false;
    wait_for(end);
    if (how_ != StreamWait::kEventQuery) be_busy(round_ns(calls_->synchronised(now_)));
    ++waited_;
    return true;
  }
  return wait_before(now) && make_call(now);
}

/// What the call itself waits for first. True also where the host's time is then ahead of `now`: the step is then not over.
bool Launcher::wait_before(TimePoint now) {
  using Before = HostCalls::Before;
  const Before before = calls_->waits_before(next_);
  const std::uint32_t previous = previous_in_stream_[next_];
  if (before == Before::kNothing || next_ == 0 || (before == Before::kStream && previous == kNoLaunch)) return true;
  const TimePoint end = before == Before::kStream ? ends_[previous] : ended_ == next_ ? last_end_ : kAbsent;
  if (!is_present(end)) return false;
  now_ = std::max(now, end + round_ns(host_calls_.sync_latency));
  return true;
}

bool Launcher::make_call(TimePoint now) {
  if (blocked_by_stream(next_)) return false;
  if (now_ > now) return true;
  if (const Duration asking = round_ns(calls_->asks(next_)); asking > Duration{0}) {
    be_busy(asking);
    return true;
  }
  const StreamLaunch& launch = plan_[next_];
  const Nanoseconds waits = before(launch);
  std::optional<Nanoseconds> call = calls_->call(next_, now_ + round_ns(waits));
  if (!call) return false;
  call = shares_.empty() ? *call + longer_at_first() : Nanoseconds{shares_[index(launch.task)].launch.value_or(round_ns(*call))};
  last_[launch.stream] = next_;
  listener_.launched(next_, now_ + round_ns(waits), now_ + round_ns(waits + *call));
  be_busy(round_ns(waits + *call + (launch.records_event ? host_calls_.event_record : Nanoseconds{0})));
  if (calls_->returns_at_end(next_)) returning_ = next_;
  ++next_;
  waited_ = 0;
  return true;
}

/// Calls that the host waits in.
std::size_t Launcher::waits_of(const StreamLaunch& launch) const {
  if (!host_waits(how_)) return 0;
  return how_ == StreamWait::kDeviceSync ? std::min<std::size_t>(1, launch.awaited.size()) : launch.awaited.size();
}

/// Of the last kernel that such a call waits for; kAbsent until it has ended.
TimePoint Launcher::end_of(const StreamLaunch& launch, std::size_t wait) const {
  if (how_ == StreamWait::kDeviceSync) return ended_ == next_ ? last_end_ : kAbsent;
  const std::uint32_t awaited = position_[index(launch.awaited[wait])];
  return ends_[how_ == StreamWait::kStreamSync ? last_[plan_[awaited].stream] : awaited];
}

void Launcher::wait_for(TimePoint end) {
  const TimePoint known = end + round_ns(host_calls_.sync_latency);
  if (how_ == StreamWait::kEventQuery) {
    const Duration query = round_ns(host_calls_.sync);
    if (query == Duration{0} || known <= now_ + query) {
      now_ = std::max(now_ + query, known);
    } else {
      now_ += (known - now_ + query - Duration{1}) / query * query;
    }
    return;
  }
  block_for(end);
}

void Launcher::block_for(TimePoint end) {
  be_busy(round_ns(host_calls_.sync));
  now_ = std::max(now_, end + round_ns(host_calls_.sync_latency));
}

void Launcher::call(std::uint32_t launch) {
  const bool marked = plan_[launch].records_event;
  const Nanoseconds waits = before(plan_[launch]);
  if (how_ == StreamWait::kCallback && !shares_.empty()) be_busy(shares_[index(plan_[launch].task)].own);
  const Nanoseconds launched = waits + launch_time(launch);
  const Nanoseconds mark = how_ == StreamWait::kCallback ? host_calls_.sync : host_calls_.event_record;
  listener_.launched(launch, now_ + round_ns(waits), now_ + round_ns(launched));
  be_busy(round_ns(launched + (marked ? mark : Nanoseconds{0})));
}

/// By how much the launch that is made takes longer for being one of the run's first.
Nanoseconds Launcher::longer_at_first() {
  if (made_ == mechanism::HostCalls::kFirstLaunches) return Nanoseconds{0};
  ++made_;
  return host_calls_.first_launches / mechanism::HostCalls::kFirstLaunches;
}

/// What the host takes before it launches.
Nanoseconds Launcher::before(const StreamLaunch& launch) {
  const bool changes = std::exchange(current_device_, launch.device) != launch.device;
  return awaiting(launch) + (changes ? set_device_ : Nanoseconds{0});
}

/// What the host takes to have the launch wait for events.
Nanoseconds Launcher::awaiting(const StreamLaunch& launch) const {
  if (how_ != StreamWait::kEvents) return Nanoseconds{0};
  return static_cast<double>(launch.awaited.size()) * host_calls_.stream_wait;
}

void Launcher::begin_callbacks() {
  outstanding_.assign(plan_.size(), 0);
  for (std::uint32_t i = 0; i < plan_.size(); ++i) {
    outstanding_[i] += static_cast<std::uint32_t>(plan_[i].awaited.size());
    if (next_in_stream_[i] != kNoLaunch) ++outstanding_[next_in_stream_[i]];
  }
  for (std::uint32_t i = 0; i < plan_.size(); ++i) {
    if (outstanding_[i] == 0) ready_.insert(i);
  }
  calendar_.schedule(now_, EventKind::kHost, static_cast<std::uint32_t>(plan_.size()), *this);
}

void Launcher::enable(std::uint32_t launch) {
  if (--outstanding_[launch] == 0) ready_.insert(launch);
}

void Launcher::handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) {
  if (calls_) {
    stepping_ = false;
    return step(now);
  }
  if (subject == plan_.size()) return launch_next(now);
  for (const std::uint32_t follower : followers_[subject]) enable(follower);
  if (!idle_) return;
  idle_ = false;
  calendar_.schedule(now, EventKind::kHost, static_cast<std::uint32_t>(plan_.size()), *this);  // after all that is known by now
}

void Launcher::launch_next(TimePoint now) {
  idle_ = ready_.empty();
  if (idle_) return;
  const std::uint32_t launch = *ready_.begin();
  if (blocked_by_stream(launch)) return;
  ready_.erase(ready_.begin());
  now_ = now;
  call(launch);
  if (next_in_stream_[launch] != kNoLaunch) enable(next_in_stream_[launch]);
  // After the last there is nothing to look for; the next replay, which may begin while the host is still at it, looks by itself.
  if (++next_ < plan_.size()) calendar_.schedule(now_, EventKind::kHost, static_cast<std::uint32_t>(plan_.size()), *this);
}

void Launcher::be_busy(Duration time) {
  events_.busy(host_, now_, now_ + time);
  now_ += time;
}

}  // namespace tasktwin::sim
