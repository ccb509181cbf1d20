#include "sim/solver_bandwidth.hpp"

#include <algorithm>

#include "sim/platform.hpp"

namespace tasktwin::sim {

namespace {

/// So much more of the memory than a flow's share does what stands for copies get, up to its bound.
constexpr double kFirst = 1e6;
/// Work that no run gets through.
constexpr double kEndless = 1e15;

simgrid::s4u::ExecPtr execution(double work, double bound) {
  return simgrid::s4u::Exec::init()->set_flops_amount(work)->set_bound(bound)->set_host(Platform::instance().shared_memory());
}

}  // namespace

SolverBandwidth::SolverBandwidth(Calendar& calendar, double total, double per_flow, MemoryBandwidth::Listener& listener)
    : calendar_(calendar), total_(total), per_flow_(per_flow), listener_(listener) {}

SolverBandwidth::~SolverBandwidth() { Platform::instance().activities().forget(*this); }

void SolverBandwidth::start(std::uint32_t flow, Bytes bytes, TimePoint /*now*/) {
  Platform::instance().activities().start(execution(static_cast<double>(bytes.count) / total_, std::min(1.0, per_flow_ / total_)), *this,
                                          flow);
}

void SolverBandwidth::set_total(double total, TimePoint /*now*/) {
  Activities& activities = Platform::instance().activities();
  if (taken_) activities.cancel(taken_);
  taken_ = nullptr;
  if (total >= total_) return;
  taken_ = execution(kEndless, (total_ - total) / total_);
  taken_->set_priority(kFirst);
  activities.start(taken_, *this, 0);
}

void SolverBandwidth::activity_ended(std::uint32_t flow, double date) {
  calendar_.schedule(calendar_.next_whole(date), EventKind::kFlowEnd, flow, *this);
}

void SolverBandwidth::handle(EventKind /*kind*/, std::uint32_t flow, TimePoint now) { listener_.flow_ended(flow, now); }

}  // namespace tasktwin::sim
