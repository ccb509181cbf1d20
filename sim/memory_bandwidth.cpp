#include "sim/memory_bandwidth.hpp"

#include <algorithm>
#include <cmath>

#include "models/memory_share.hpp"

namespace tasktwin::sim {

namespace {

/// Rounding errors of rates and volumes stay far below this; an end so little past a whole nanosecond is at it.
constexpr double kTolerance = 1e-6;

/// The virtual clock is kept below this many nanoseconds, where a double resolves it to a few 1e-9.
constexpr double kRebase = 0x1p24;

}  // namespace

MemoryBandwidth::MemoryBandwidth(Calendar& calendar, double total, double contention, Listener& listener)
    : calendar_(calendar), total_(total), contention_(contention), listener_(listener) {}

void MemoryBandwidth::start(std::uint32_t flow, Bytes bytes, double rate, TimePoint now) {
  advance(now);
  flows_.push_back({clock_ + static_cast<double>(bytes.count) / rate, rate, next_sequence_++, flow});
  std::ranges::push_heap(flows_, Later{});
  sum_up(rate);
  schedule_next();
}

void MemoryBandwidth::set_total(double total, TimePoint now) {
  advance(now);
  total_ = total;
  sum_up(0);
  schedule_next();
}

void MemoryBandwidth::handle(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint now) {
  if (now == alarm_) alarm_ = kAbsent;
  advance(now);
  schedule_next();
}

/// A flow of that rate has come, or gone where it is negative.
void MemoryBandwidth::sum_up(double rate) {
  rates_ = flows_.empty() ? 0 : rates_ + rate;
  share_ = memory_share(static_cast<double>(rates_) / total_, contention_);
}

void MemoryBandwidth::advance(TimePoint now) {
  const auto span = static_cast<double>(to_ns(now - now_));
  double moment = 0;
  now_ = now;
  while (!flows_.empty()) {
    const Flow first = flows_.front();
    const double until_end = std::max(0.0, (first.end - clock_) / share_);
    if (moment + until_end > span + kTolerance) break;
    moment += until_end;
    clock_ = first.end;
    std::ranges::pop_heap(flows_, Later{});
    flows_.pop_back();
    sum_up(-first.rate);
    listener_.flow_ended(first.id, now);
  }
  if (flows_.empty()) {
    clock_ = 0;
    return;
  }
  clock_ += share_ * std::max(0.0, span - moment);
  if (clock_ > kRebase) {
    for (Flow& flow : flows_) flow.end -= clock_;
    clock_ = 0;
  }
}

/// A flow that starts puts the others' ends off, so an event may come early; it then finds nothing to do but to wait on.
void MemoryBandwidth::schedule_next() {
  if (flows_.empty()) return;
  const double until_end = (flows_.front().end - clock_) / share_;
  const TimePoint next = now_ + Duration{std::max<std::int64_t>(0, std::llround(std::ceil(until_end - kTolerance)))};
  if (is_present(alarm_) && alarm_ <= next) return;
  alarm_ = next;
  calendar_.schedule(next, EventKind::kFlowEnd, 0, *this);
}

}  // namespace tasktwin::sim
