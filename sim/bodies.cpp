#include "sim/bodies.hpp"

#include <algorithm>

namespace tasktwin::sim {

Bodies::Bodies(Calendar& calendar, const Constants& constants, std::span<const BodyCost> costs, Listener& listener)
    : calendar_(calendar), costs_(costs), listener_(listener) {
  const bool any_bytes = std::ranges::any_of(costs, [](const BodyCost& cost) { return cost.bytes.count > 0; });
  if (!any_bytes || constants.memory_bandwidth <= 0 || constants.core_bandwidth <= 0) return;
  memory_.emplace(calendar, constants.memory_bandwidth, constants.core_bandwidth, static_cast<MemoryBandwidth::Listener&>(*this));
  starts_.resize(costs.size(), kAbsent);
}

TimePoint Bodies::start(TaskId task, TimePoint at) {
  const BodyCost& cost = costs_[index(task)];
  if (!memory_ || cost.bytes.count == 0) return at + cost.fixed + cost.overhead;
  starts_[index(task)] = at;
  calendar_.schedule(at, EventKind::kFlowStart, static_cast<std::uint32_t>(index(task)), *this);
  return kAbsent;
}

void Bodies::handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) { memory_->start(subject, costs_[subject].bytes, now); }

void Bodies::flow_ended(std::uint32_t flow, TimePoint at) {
  const BodyCost& cost = costs_[flow];
  listener_.body_ended(TaskId{flow}, std::max(at, starts_[flow] + cost.fixed) + cost.overhead);
}

}  // namespace tasktwin::sim
