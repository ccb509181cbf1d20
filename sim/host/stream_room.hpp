#pragma once

#include <cstdint>
#include <vector>

#include "models/program/stream_plan.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_clock.hpp"
#include "sim/host/launch_ends.hpp"

namespace tasktwin::sim {

/// A stream holds LaunchLimits::stream_launches after the launch that runs, without the marks of allocations: the host blocks in the call
/// for a further one until the oldest has ended, and knows of it as of any end that it blocks for. Meanwhile it launches nothing into
/// other streams either.
class StreamRoom {
 public:
  /// Contract: all but the inputs outlive this.
  StreamRoom(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, const LaunchEnds& ends);

  /// Whether the launch finds room in its stream; where the host has waited for that, its time is then when it knows.
  bool takes(std::uint32_t launch);

 private:
  HostClock& clock_;
  const LaunchEnds& ends_;
  Duration sync_latency_;
  std::vector<std::uint32_t> makes_room_;  ///< by launch: the one that must have ended first; empty where no stream fills up
};

}  // namespace tasktwin::sim
