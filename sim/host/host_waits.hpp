#pragma once

#include <cstdint>
#include <vector>

#include "models/program/stream_plan.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_clock.hpp"
#include "sim/host/launch_ends.hpp"

namespace tasktwin::sim {

/// How the host waits for ends, by Design::stream_wait.
///
/// `event_sync`, `stream_sync`, `device_sync`: a call each (one for the device) that returns after sync, or sync_latency after the
/// last end it waits for, whichever is later. `event_query`: calls of sync each, until one ends no earlier than sync_latency after
/// that end. Under `events` and `callback` no call waits for the device.
///
/// Between two replays all streams in use meet: under `events` in that of the first launch, which waits for an event of each other
/// and of which each then awaits one; else the host blocks for the device.
class HostWaits {
 public:
  /// Contract: all but the inputs outlive this.
  HostWaits(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, const LaunchEnds& ends);

  /// Of the calls before `launch` that wait.
  std::size_t count(std::uint32_t launch) const;
  /// Of the last launch that such a call waits for; kAbsent until it has ended. Contract: all launches before `launch` have been made.
  TimePoint end_of(std::uint32_t launch, std::size_t wait) const;
  void wait_for(TimePoint end);
  /// Whether wait_for() blocks the host, rather than have it ask again.
  bool block() const { return how_ != StreamWait::kEventQuery; }
  void launched(std::uint32_t launch);

  /// As Launcher::meet.
  TimePoint meet(TimePoint now);
  /// Whether meet() blocks the host.
  bool meet_on_host() const { return how_ != StreamWait::kEvents; }

 private:
  void block_for(TimePoint end);

  const std::vector<StreamLaunch>& plan_;
  HostClock& clock_;
  const LaunchEnds& ends_;
  const mechanism::HostCalls& times_;
  const mechanism::Streams& stream_times_;
  StreamWait how_;
  std::size_t streams_in_use_;
  std::vector<std::uint32_t> position_;  ///< by TaskId: its place in the plan; empty where the host waits for no task
  std::vector<std::uint32_t> latest_;    ///< by stream: the launch made last
};

}  // namespace tasktwin::sim
