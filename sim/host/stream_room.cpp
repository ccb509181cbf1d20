#include "sim/host/stream_room.hpp"

#include <map>

namespace tasktwin::sim {

StreamRoom::StreamRoom(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, const LaunchEnds& ends)
    : clock_(clock), ends_(ends), sync_latency_(round_ns(inputs.machine.host_calls->sync_latency)) {
  const auto limit = static_cast<std::size_t>(inputs.machine.launch_limits.stream_launches);
  if (limit == 0 || plan.size() <= limit + 1) return;
  makes_room_.assign(plan.size(), kNoLaunch);
  std::map<std::uint32_t, std::vector<std::uint32_t>> held;  // by stream
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    if (is_allocation(inputs.graph[plan[i].task].operation)) continue;
    std::vector<std::uint32_t>& line = held[plan[i].stream];
    if (line.size() > limit) makes_room_[i] = line[line.size() - limit - 1];
    line.push_back(i);
  }
}

bool StreamRoom::takes(std::uint32_t launch) {
  const std::uint32_t oldest = makes_room_.empty() ? kNoLaunch : makes_room_[launch];
  if (oldest == kNoLaunch) return true;
  const TimePoint end = ends_.of(oldest);
  if (!is_present(end)) return false;
  if (end > clock_.now()) clock_.wait_until(end + sync_latency_);
  return true;
}

}  // namespace tasktwin::sim
