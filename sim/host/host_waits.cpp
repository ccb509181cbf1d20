#include "sim/host/host_waits.hpp"

#include <algorithm>
#include <set>

namespace tasktwin::sim {

namespace {

std::set<std::uint32_t> streams_of(const std::vector<StreamLaunch>& plan) {
  std::set<std::uint32_t> streams;
  for (const StreamLaunch& launch : plan) streams.insert(launch.stream);
  return streams;
}

}  // namespace

HostWaits::HostWaits(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, const LaunchEnds& ends)
    : plan_(plan),
      clock_(clock),
      ends_(ends),
      times_(*inputs.machine.host_calls),
      stream_times_(*inputs.machine.streams),
      how_(inputs.design.stream_wait),
      position_(host_waits(how_) ? inputs.graph.size() : 0) {
  const std::set<std::uint32_t> streams = streams_of(plan);
  streams_in_use_ = streams.size();
  latest_.resize(streams.empty() ? 0 : *streams.rbegin() + 1);
  if (position_.empty()) return;
  for (std::uint32_t i = 0; i < plan.size(); ++i) position_[index(plan[i].task)] = i;
}

std::size_t HostWaits::count(std::uint32_t launch) const {
  if (!host_waits(how_)) return 0;
  const std::size_t awaited = plan_[launch].awaited.size();
  return how_ == StreamWait::kDeviceSync ? std::min<std::size_t>(1, awaited) : awaited;
}

TimePoint HostWaits::end_of(std::uint32_t launch, std::size_t wait) const {
  if (how_ == StreamWait::kDeviceSync) return ends_.of_all(launch);
  const std::uint32_t awaited = position_[index(plan_[launch].awaited[wait])];
  return ends_.of(how_ == StreamWait::kStreamSync ? latest_[plan_[awaited].stream] : awaited);
}

void HostWaits::launched(std::uint32_t launch) { latest_[plan_[launch].stream] = launch; }

void HostWaits::wait_for(TimePoint end) {
  if (block()) return block_for(end);
  const TimePoint known = end + round_ns(times_.sync_latency);
  const Duration query = round_ns(times_.sync);
  const TimePoint now = clock_.now();
  if (query == Duration{0} || known <= now + query) return clock_.wait_until(std::max(now + query, known));
  clock_.wait_until(now + (known - now + query - Duration{1}) / query * query);
}

void HostWaits::block_for(TimePoint end) {
  clock_.spend(round_ns(times_.sync));
  clock_.wait_until(end + round_ns(times_.sync_latency));
}

TimePoint HostWaits::meet(TimePoint now) {
  if (meet_on_host()) {
    block_for(now);
    return now;
  }
  if (streams_in_use_ == 1) return now + round_ns(stream_times_.gap);
  const double others = static_cast<double>(streams_in_use_) - 1;
  clock_.spend(round_ns((others + 1) * times_.event_record + 2 * others * times_.stream_wait));
  return now + round_ns(stream_times_.event_gap);
}

}  // namespace tasktwin::sim
