#include "sim/solver_bandwidth.hpp"

#include <algorithm>

#include "models/memory_share.hpp"
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

SolverBandwidth::SolverBandwidth(Calendar& calendar, double total, double contention, MemoryBandwidth::Listener& listener)
    : calendar_(calendar), total_(total), contention_(contention), left_(total), listener_(listener) {
  if (contention_ <= 0) return;
  Platform::instance().shared_memory()->set_sharing_policy(simgrid::s4u::Host::SharingPolicy::NONLINEAR, [this](double, int) {
    return (total_ - left_ + sum_ * memory_share(sum_ / left_, contention_)) / total_;
  });
}

SolverBandwidth::~SolverBandwidth() {
  Platform::instance().activities().forget(*this);
  if (contention_ > 0) Platform::instance().shared_memory()->set_sharing_policy(simgrid::s4u::Host::SharingPolicy::LINEAR);
}

void SolverBandwidth::start(std::uint32_t flow, Bytes bytes, double rate, TimePoint /*now*/) {
  rates_[flow] = rate;
  sum_ += rate;
  const simgrid::s4u::ExecPtr reading = execution(static_cast<double>(bytes.count) / total_, std::min(1.0, rate / total_));
  reading->set_priority(rate / total_);
  Platform::instance().activities().start(reading, *this, flow);
}

void SolverBandwidth::set_total(double total, TimePoint /*now*/) {
  Activities& activities = Platform::instance().activities();
  left_ = std::min(total, total_);
  if (taken_) activities.cancel(taken_);
  taken_ = nullptr;
  if (total >= total_) return;
  taken_ = execution(kEndless, (total_ - total) / total_);
  taken_->set_priority(kFirst);
  activities.start(taken_, *this, 0);
}

void SolverBandwidth::activity_ended(std::uint32_t flow, double date) {
  sum_ = rates_.size() == 1 ? 0 : sum_ - rates_.at(flow);
  rates_.erase(flow);
  calendar_.schedule(calendar_.next_whole(date), EventKind::kFlowEnd, flow, *this);
}

void SolverBandwidth::handle(EventKind /*kind*/, std::uint32_t flow, TimePoint now) { listener_.flow_ended(flow, now); }

}  // namespace tasktwin::sim
