#include "sim/streams/launch_waits.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::sim {

LaunchWaits::LaunchWaits(const WiringInputs& inputs, const HostProgram& program, EventHandler& handler)
    : calendar_(inputs.calendar),
      handler_(handler),
      stream_gap_(round_ns(inputs.machine.constants.stream_gap)),
      event_gap_(round_ns(inputs.machine.constants.event_gap)),
      launches_(program.launches.size()) {
  const Duration latency = round_ns(inputs.machine.constants.launch_latency);
  for (std::size_t i = 0; i < launches_.size(); ++i) launches_[i].startable = program.calls[i].begin + latency;
  const std::uint32_t streams = stream_count(inputs.graph, inputs.design);
  const auto queues = static_cast<std::uint32_t>(hardware_queues(inputs.machine, inputs.design));
  line_up(program.launches, streams, &Launch::next_in_stream);
  if (queues > 0 && queues < streams) line_up(program.launches, queues, &Launch::next_in_queue);
  await_events(program.launches, inputs.graph.size());
}

/// Lets each launch wait for the one before it whose stream is the same modulo `lines`.
void LaunchWaits::line_up(const std::vector<StreamLaunch>& launches, std::uint32_t lines, std::uint32_t Launch::*next) {
  std::vector<std::uint32_t> last(lines, kNoLaunch);
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    std::uint32_t& before = last[launches[i].stream % lines];
    if (before != kNoLaunch) {
      launches_[before].*next = i;
      ++launches_[i].waits;
    }
    before = i;
  }
}

void LaunchWaits::await_events(const std::vector<StreamLaunch>& launches, std::size_t tasks) {
  std::vector<std::uint32_t> position(tasks);
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    position[index(launches[i].task)] = i;
    launches_[i].waits += static_cast<std::uint32_t>(launches[i].awaited.size());
    for (const TaskId awaited : launches[i].awaited) ++launches_[position[index(awaited)]].awaiting_end;
  }
  std::uint32_t sum = 0;
  for (Launch& launch : launches_) {
    launch.awaiting_begin = sum;
    sum += std::exchange(launch.awaiting_end, sum);
  }
  awaiting_.resize(sum);
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    for (const TaskId awaited : launches[i].awaited) awaiting_[launches_[position[index(awaited)]].awaiting_end++] = i;
  }
}

void LaunchWaits::begin() {
  for (std::uint32_t i = 0; i < launches_.size(); ++i) {
    if (launches_[i].waits == 0) calendar_.schedule(launches_[i].startable, EventKind::kStartable, i, handler_);
  }
}

void LaunchWaits::handed_over(std::uint32_t launch, TimePoint now) {
  const std::uint32_t next = launches_[launch].next_in_queue;
  if (next != kNoLaunch) signal(next, now);
}

void LaunchWaits::ended(std::uint32_t id, TimePoint now) {
  const Launch& launch = launches_[id];
  if (launch.next_in_stream != kNoLaunch) signal(launch.next_in_stream, now + stream_gap_);
  for (std::uint32_t w = launch.awaiting_begin; w < launch.awaiting_end; ++w) signal(awaiting_[w], now + event_gap_);
}

void LaunchWaits::signal(std::uint32_t id, TimePoint at) {
  Launch& launch = launches_[id];
  launch.startable = std::max(launch.startable, at);
  if (--launch.waits == 0) calendar_.schedule(launch.startable, EventKind::kStartable, id, handler_);
}

}  // namespace tasktwin::sim
