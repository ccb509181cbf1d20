#pragma once

#include <cstdint>
#include <vector>

#include "models/program/host_program.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_clock.hpp"
#include "sim/host/launcher.hpp"

namespace tasktwin::sim {

/// What the host spends on the calls for each launch. The first launches of a run take longer, and a launch for another device than the
/// one before comes after Peers::set_device.
///
/// Where a program is known that launched the tasks (WiringInputs::program), the host spends before each launch the own time that the
/// program spent, and on the launch what its call took, in place of HostCalls::launch and first_launches. What it called else is gone.
class LaunchCalls {
 public:
  /// Contract: `plan`, `clock` and `listener` outlive this.
  LaunchCalls(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, Launcher::Listener& listener);

  Duration own_time(std::uint32_t launch) const;
  /// Of the calls before the launch itself: having its stream wait for events, and changing the device. Contract: followed by make().
  Nanoseconds before(std::uint32_t launch);
  /// The launch, which without a program takes `usual`, with `before` ahead of it, and the mark for those that await it.
  void make(std::uint32_t launch, Nanoseconds before, Nanoseconds usual);
  void make_kernel(std::uint32_t launch) { make(launch, before(launch), times_.launch); }

 private:
  Nanoseconds longer_at_first();

  const std::vector<StreamLaunch>& plan_;
  HostClock& clock_;
  Launcher::Listener& listener_;
  const mechanism::HostCalls& times_;
  StreamWait how_;
  Nanoseconds set_device_;
  std::int32_t current_device_;
  std::vector<HostShare> shares_;  ///< by TaskId; empty without a program
  int made_ = 0;                   ///< launches of this run, as far as HostCalls::kFirstLaunches
};

}  // namespace tasktwin::sim
