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
  flows_at_all_ = true;
  running_.resize(runners);
}

Bodies::~Bodies() = default;

void Bodies::share_cores(std::size_t cores, std::size_t runners, Leaves leaves) {
  leaves_ = leaves;
  SharedCores::Listener& parts = *this;
  cores_.emplace(calendar_, cores, parts);
  running_.resize(runners);
}

TimePoint Bodies::start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path) {
  if (!flows_at_all_ || cost.bytes.count == 0) return at + cost.fixed + cost.overhead;
  running_[runner] = {.start = at, .cost = cost, .path = path};
  calendar_.schedule(at, EventKind::kFlowStart, runner, *this);
  return kAbsent;
}

void Bodies::start(std::uint32_t runner, const BodyCost& cost, TimePoint at, std::size_t path, CoreId core, const BodyShare& share) {
  running_[runner] = {.start = at, .cost = cost, .path = path, .core = core, .share = share};
  calendar_.schedule(at, EventKind::kFlowStart, runner, *this);
}

void Bodies::handle(EventKind kind, std::uint32_t subject, TimePoint now) {
  if (kind == EventKind::kBodyGone) return gone(subject, now);
  running_[subject].core == kNoCore ? start_flow(subject, now) : begin_on_shared_core(subject, now);
}

void Bodies::begin_on_shared_core(std::uint32_t runner, TimePoint now) {
  Running& body = running_[runner];
  body.parts = moves_bytes(body) ? 2 : 1;
  body.pace = 1;  // the runner's last body may have had another until it left
  cores_->arrive(runner, body.core, body.share, body.cost.fixed, now);
  if (moves_bytes(body)) start_flow(runner, now);
}

void Bodies::start_flow(std::uint32_t runner, TimePoint now) {
  Running& body = running_[runner];
  body.flows = true;
  const double rate = body.cost.alone_rate(memory_rates_) * body.pace;
  memory_ ? memory_->start(runner, body.cost.bytes, rate, body.path, now) : solver_->start(runner, body.cost.bytes, rate, body.path, now);
}

void Bodies::pace_changed(std::uint32_t runner, double pace, TimePoint now) {
  Running& body = running_[runner];
  body.pace = pace;
  if (!body.flows) return;
  const double rate = body.cost.alone_rate(memory_rates_) * pace;
  memory_ ? memory_->set_rate(runner, rate, body.path, now) : solver_->set_rate(runner, rate, now);
}

void Bodies::part_ended(std::uint32_t runner, TimePoint now) {
  if (--running_[runner].parts > 0) return;
  const TimePoint end = now + running_[runner].cost.overhead;
  if (leaves_ == Leaves::kAtItsEnd) calendar_.schedule(end, EventKind::kBodyGone, runner, *this);
  listener_.body_ended(runner, end);
}

Bodies::State Bodies::state() const { return {memory_ ? std::optional(memory_->state()) : std::nullopt, running_}; }

void Bodies::resume(const State& state) {
  if (memory_) memory_->resume(*state.memory);
  running_ = state.running;
}

void Bodies::add_handlers(std::vector<EventHandler*>& handlers) {
  handlers.push_back(this);
  if (memory_) handlers.push_back(&*memory_);
}

void Bodies::gone(std::uint32_t runner, TimePoint now) {
  if (running_.empty() || running_[runner].core == kNoCore) return;
  cores_->leave(runner, running_[runner].core, now);
}

void Bodies::leave(double bandwidth, TimePoint now) {
  if (!flows_at_all_) return;
  constexpr double kLeastLeft = 0.05;  // of all: what takes it may have been stated with a time in which it cannot move its bytes
  const double left = std::max(memory_rates_.bandwidth - bandwidth, kLeastLeft * memory_rates_.bandwidth);
  memory_ ? memory_->set_total(left, now) : solver_->set_total(left, now);
}

void Bodies::watch_memory(MemoryBandwidth::Watcher& watcher) {
  if (flows_at_all_) memory_ ? memory_->watch(watcher) : solver_->watch(watcher);
}

void Bodies::flow_ended(std::uint32_t flow, TimePoint at) {
  Running& body = running_[flow];
  body.flows = false;
  if (body.core != kNoCore) return part_ended(flow, at);
  listener_.body_ended(flow, std::max(at, body.start + body.cost.fixed) + body.cost.overhead);
}

}  // namespace tasktwin::sim
