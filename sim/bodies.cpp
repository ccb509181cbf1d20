#include "sim/bodies.hpp"

#include <algorithm>

namespace tasktwin::sim {

Bodies::Bodies(Calendar& calendar, const Constants& constants, bool any_bytes, std::size_t runners, Listener& listener)
    : calendar_(calendar), listener_(listener) {
  if (!any_bytes || constants.memory_bandwidth <= 0 || constants.core_bandwidth <= 0) return;
  memory_.emplace(calendar, constants.memory_bandwidth, constants.core_bandwidth, static_cast<MemoryBandwidth::Listener&>(*this));
  running_.resize(runners);
}

TimePoint Bodies::start(std::uint32_t runner, const BodyCost& cost, TimePoint at) {
  if (!memory_ || cost.bytes.count == 0) return at + cost.fixed + cost.overhead;
  running_[runner] = {at, cost};
  calendar_.schedule(at, EventKind::kFlowStart, runner, *this);
  return kAbsent;
}

void Bodies::handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) {
  memory_->start(subject, running_[subject].cost.bytes, now);
}

void Bodies::flow_ended(std::uint32_t flow, TimePoint at) {
  const Running& body = running_[flow];
  listener_.body_ended(flow, std::max(at, body.start + body.cost.fixed) + body.cost.overhead);
}

}  // namespace tasktwin::sim
