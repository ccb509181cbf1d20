#include "sim/memory/solver_bandwidth.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/engine/platform.hpp"

namespace tasktwin::sim {

namespace {

/// The weight of the activity that represents copies, over that of a flow, up to its bound.
constexpr double kFirst = 1e6;
/// Work that no run gets through.
constexpr double kEndless = 1e15;

simgrid::s4u::ExecPtr execution(double work, double bound) {
  return simgrid::s4u::Exec::init()->set_flops_amount(work)->set_bound(bound)->set_host(Platform::instance().shared_memory());
}

}  // namespace

SolverBandwidth::SolverBandwidth(Calendar& calendar, const MemoryLaw& law, std::size_t paths, MemoryBandwidth::Listener& listener)
    : calendar_(calendar), total_(law.total), law_(law), listener_(listener), demands_(paths), shares_(paths, 1) {
  if (!varies()) return;
  Platform::instance().shared_memory()->set_sharing_policy(simgrid::s4u::Host::SharingPolicy::NONLINEAR,
                                                           [this](double, int) { return (total_ - law_.total + used_) / total_; });
}

SolverBandwidth::~SolverBandwidth() {
  Platform::instance().activities().forget(*this);
  if (varies()) Platform::instance().shared_memory()->set_sharing_policy(simgrid::s4u::Host::SharingPolicy::LINEAR);
}

void SolverBandwidth::start(std::uint32_t flow, Bytes bytes, double rate, std::size_t path, TimePoint now) {
  const simgrid::s4u::ExecPtr draw = execution(static_cast<double>(bytes.count) / total_, std::min(1.0, rate / total_));
  draw->set_priority(rate / total_);
  flows_[flow] = {draw, rate, path};
  Platform::instance().activities().start(draw, *this, flow);
  sum_up(path, rate, now);
}

/// A bound cannot be changed: what is left continues as another execution.
void SolverBandwidth::set_rate(std::uint32_t flow, double rate, TimePoint now) {
  const auto found = flows_.find(flow);
  if (found == flows_.end()) return;
  const double left = found->second.reading->get_remaining();
  Platform::instance().activities().cancel(found->second.reading);
  const double before = std::exchange(found->second.rate, rate);
  found->second.reading = execution(left, std::min(1.0, rate / total_));
  found->second.reading->set_priority(rate / total_);
  Platform::instance().activities().start(found->second.reading, *this, flow);
  sum_up(found->second.path, rate - before, now);
}

void SolverBandwidth::set_total(double total, TimePoint now) {
  Activities& activities = Platform::instance().activities();
  law_.total = std::min(total, total_);
  if (taken_) activities.cancel(taken_);
  taken_ = nullptr;
  if (total < total_) {
    taken_ = execution(kEndless, (total_ - total) / total_);
    taken_->set_priority(kFirst);
    activities.start(taken_, *this, 0);
  }
  share(now);
}

/// A flow of that rate has come, or gone where it is negative.
void SolverBandwidth::sum_up(std::size_t path, double rate, TimePoint now) {
  demands_[path] += rate;
  if (flows_.empty()) demands_[path] = 0;
  share(now);
}

void SolverBandwidth::share(TimePoint now) {
  memory_shares(law_, demands_, shares_);
  used_ = std::inner_product(demands_.begin(), demands_.end(), shares_.begin(), 0.0);
  watched_.tell(law_, demands_, now);
  if (law_.port <= 0 && law_.queue <= 0) return;
  for (const auto& [id, flow] : flows_) flow.reading->update_priority(flow.rate / total_ * shares_[flow.path]);
}

void SolverBandwidth::activity_ended(std::uint32_t flow, double date) {
  const Flow ended = flows_.at(flow);
  flows_.erase(flow);
  const TimePoint end = calendar_.next_whole(date);
  sum_up(ended.path, -ended.rate, end);
  calendar_.schedule(end, EventKind::kFlowEnd, flow, *this);
}

void SolverBandwidth::handle(EventKind /*kind*/, std::uint32_t flow, TimePoint now) { listener_.flow_ended(flow, now); }

}  // namespace tasktwin::sim
