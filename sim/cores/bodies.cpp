#include "sim/cores/bodies.hpp"

#include <algorithm>

#include "sim/memory/solver_bandwidth.hpp"

namespace tasktwin::sim {

Bodies::Bodies(Calendar& calendar, const mechanism::Memory& memory, bool any_bytes, std::size_t runners, Listener& listener,
               BandwidthSolver solver, const MemoryPaths& paths)
    : calendar_(calendar), listener_(listener), memory_rates_(memory) {
  if (!any_bytes || memory.bandwidth <= 0 || memory.core_bandwidth <= 0) return;
  MemoryBandwidth::Listener& ends = *this;
  if (solver == BandwidthSolver::kSimGrid) {
    solver_ = std::make_unique<SolverBandwidth>(calendar, paths.law, paths.count, ends);
  } else {
    memory_.emplace(calendar, paths.law, paths.count, ends);
  }
  running_.resize(runners);
}

Bodies::~Bodies() = default;

TimePoint Bodies::start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path) {
  if (running_.empty() || cost.bytes.count == 0) return at + cost.fixed + cost.overhead;
  running_[runner] = {at, cost, path};
  calendar_.schedule(at, EventKind::kFlowStart, runner, *this);
  return kAbsent;
}

void Bodies::handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) {
  const Running& body = running_[subject];
  const double rate = body.cost.alone_rate(memory_rates_);
  const Reading reading = body.cost.rate > 0 ? Reading::kInPieces : Reading::kSteadily;
  memory_ ? memory_->start(subject, body.cost.bytes, rate, body.path, now, reading)
          : solver_->start(subject, body.cost.bytes, rate, body.path, now, reading);
}

void Bodies::leave(double bandwidth, TimePoint now) {
  if (running_.empty()) return;
  const double left = memory_rates_.bandwidth - bandwidth;
  memory_ ? memory_->set_total(left, now) : solver_->set_total(left, now);
}

void Bodies::flow_ended(std::uint32_t flow, TimePoint at) {
  const Running& body = running_[flow];
  listener_.body_ended(flow, std::max(at, body.start + body.cost.fixed) + body.cost.overhead);
}

}  // namespace tasktwin::sim
