#include "sim/memory/memory_bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tasktwin::sim {

namespace {

/// Rounding errors of rates and volumes stay far below this; an end so little past a whole nanosecond is at it.
constexpr double kTolerance = 1e-6;

/// The virtual clocks are kept below this many nanoseconds, where a double resolves them to a few 1e-9.
constexpr double kRebase = 0x1p24;

}  // namespace

MemoryBandwidth::MemoryBandwidth(Calendar& calendar, const MemoryLaw& law, std::size_t paths, Listener& listener)
    : calendar_(calendar), law_(law), listener_(listener), paths_(paths), demands_(paths), shares_(paths, 1) {}

void MemoryBandwidth::start(std::uint32_t flow, Bytes bytes, double rate, std::size_t path, TimePoint now) {
  advance(now);
  Path& at = paths_[path];
  at.flows.push_back({at.clock + static_cast<double>(bytes.count) / rate, rate, next_sequence_++, flow});
  std::ranges::push_heap(at.flows, Later{});
  sum_up(path, rate);
  schedule_next();
}

void MemoryBandwidth::set_rate(std::uint32_t flow, double rate, std::size_t path, TimePoint now) {
  advance(now);
  Path& at = paths_[path];
  const auto found = std::ranges::find(at.flows, flow, &Flow::id);
  if (found == at.flows.end()) return;
  const double before = found->rate;
  found->end = at.clock + (found->end - at.clock) * before / rate;
  found->rate = rate;
  std::ranges::make_heap(at.flows, Later{});
  sum_up(path, rate - before);
  schedule_next();
}

void MemoryBandwidth::set_total(double total, TimePoint now) {
  advance(now);
  law_.total = total;
  share();
  schedule_next();
}

void MemoryBandwidth::handle(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint now) {
  if (now == alarm_) alarm_ = kAbsent;
  advance(now);
  schedule_next();
}

MemoryBandwidth::State MemoryBandwidth::state() const { return {law_.total, paths_, demands_, shares_, next_sequence_, now_, alarm_}; }

void MemoryBandwidth::resume(const State& state) {
  law_.total = state.total;
  paths_ = state.paths;
  demands_ = state.demands;
  shares_ = state.shares;
  next_sequence_ = state.next_sequence;
  now_ = state.now;
  alarm_ = state.alarm;
}

/// A flow of that rate has come, or gone where it is negative.
void MemoryBandwidth::sum_up(std::size_t path, double rate) {
  Path& at = paths_[path];
  at.rates = at.flows.empty() ? 0 : at.rates + rate;
  if (at.flows.empty()) at.clock = 0;
  demands_[path] = static_cast<double>(at.rates);
  share();
}

void MemoryBandwidth::share() {
  memory_shares(law_, demands_, shares_);
  watched_.tell(law_, demands_, now_);
}

MemoryBandwidth::NextEnd MemoryBandwidth::next_end() const {
  NextEnd next{0, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (paths_[i].flows.empty()) continue;
    const double in = std::max(0.0, (paths_[i].flows.front().end - paths_[i].clock) / shares_[i]);
    if (in < next.in) next = {i, in};
  }
  return next;
}

void MemoryBandwidth::pass(double ns) {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    Path& path = paths_[i];
    if (path.flows.empty()) continue;
    path.clock += shares_[i] * ns;
    if (path.clock <= kRebase) continue;
    for (Flow& flow : path.flows) flow.end -= path.clock;
    path.clock = 0;
  }
}

void MemoryBandwidth::advance(TimePoint now) {
  const auto span = static_cast<double>(to_ns(now - now_));
  double moment = 0;
  now_ = now;
  for (;;) {
    const NextEnd next = next_end();
    if (moment + next.in > span + kTolerance) break;
    moment += next.in;
    pass(next.in);
    Path& path = paths_[next.path];
    const Flow first = path.flows.front();
    path.clock = first.end;
    std::ranges::pop_heap(path.flows, Later{});
    path.flows.pop_back();
    sum_up(next.path, -first.rate);
    listener_.flow_ended(first.id, now);
  }
  pass(std::max(0.0, span - moment));
}

/// A flow that starts puts the others' ends off, so an event may come early; it then finds nothing to do but to wait on.
void MemoryBandwidth::schedule_next() {
  const double in = next_end().in;
  if (std::isinf(in)) return;
  const TimePoint next = now_ + Duration{std::max<std::int64_t>(0, std::llround(std::ceil(in - kTolerance)))};
  if (is_present(alarm_) && alarm_ <= next) return;
  alarm_ = next;
  calendar_.schedule(next, EventKind::kFlowEnd, 0, *this);
}

}  // namespace tasktwin::sim
