#include "sim/memory_bandwidth.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin::sim {

namespace {

/// Rounding errors of rates and volumes stay far below this; an end so little past a whole nanosecond is at it.
constexpr double kTolerance = 1e-6;

/// Volumes are kept below this many bytes, where a double resolves them to a few 1e-9.
constexpr double kRebase = 0x1p24;

}  // namespace

MemoryBandwidth::MemoryBandwidth(Calendar& calendar, double total, double per_flow, Listener& listener)
    : calendar_(calendar), total_(total), per_flow_(per_flow), listener_(listener) {}

void MemoryBandwidth::start(std::uint32_t flow, Bytes bytes, TimePoint now) {
  advance(now);
  flows_.push_back({volume_ + static_cast<double>(bytes.count), next_sequence_++, flow});
  std::ranges::push_heap(flows_, Later{});
  schedule_next();
}

void MemoryBandwidth::set_total(double total, TimePoint now) {
  advance(now);
  total_ = total;
  schedule_next();
}

void MemoryBandwidth::handle(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint now) {
  if (now == alarm_) alarm_ = kAbsent;
  advance(now);
  schedule_next();
}

double MemoryBandwidth::rate() const { return std::min(per_flow_, total_ / static_cast<double>(flows_.size())); }

void MemoryBandwidth::advance(TimePoint now) {
  const auto span = static_cast<double>(to_ns(now - now_));
  double moment = 0;
  now_ = now;
  while (!flows_.empty()) {
    const Flow first = flows_.front();
    const double until_end = std::max(0.0, (first.end_volume - volume_) / rate());
    if (moment + until_end > span + kTolerance) break;
    moment += until_end;
    volume_ = first.end_volume;
    std::ranges::pop_heap(flows_, Later{});
    flows_.pop_back();
    listener_.flow_ended(first.id, now);
  }
  if (flows_.empty()) {
    volume_ = 0;
    return;
  }
  volume_ += rate() * std::max(0.0, span - moment);
  if (volume_ > kRebase) {
    for (Flow& flow : flows_) flow.end_volume -= volume_;
    volume_ = 0;
  }
}

/// A flow that starts puts the others' ends off, so an event may come early; it then finds nothing to do but to wait on.
void MemoryBandwidth::schedule_next() {
  if (flows_.empty()) return;
  const double until_end = (flows_.front().end_volume - volume_) / rate();
  const TimePoint next = now_ + Duration{std::max<std::int64_t>(0, std::llround(std::ceil(until_end - kTolerance)))};
  if (is_present(alarm_) && alarm_ <= next) return;
  alarm_ = next;
  calendar_.schedule(next, EventKind::kFlowEnd, 0, *this);
}

}  // namespace tasktwin::sim
