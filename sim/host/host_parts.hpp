#pragma once

#include "sim/host/host_clock.hpp"
#include "sim/host/host_waits.hpp"
#include "sim/host/launch_calls.hpp"
#include "sim/host/launch_ends.hpp"
#include "sim/host/launcher.hpp"
#include "sim/host/stream_room.hpp"

namespace tasktwin::sim {

/// What a host that launches consists of, whichever launch is next.
struct HostParts {
  /// Contract: `on_plan` and the listener outlive this.
  HostParts(const WiringInputs& inputs, const std::vector<StreamLaunch>& on_plan, Launcher::Listener& listener)
      : plan(on_plan),
        clock(inputs.events),
        ends(plan.size()),
        calls(inputs, plan, clock, listener),
        waits(inputs, plan, clock, ends),
        room(inputs, plan, clock, ends) {}
  HostParts(const HostParts&) = delete;
  HostParts& operator=(const HostParts&) = delete;

  const std::vector<StreamLaunch>& plan;
  HostClock clock;
  LaunchEnds ends;
  LaunchCalls calls;
  HostWaits waits;
  StreamRoom room;
};

// The hosts, one file each.

/// In the order of the plan, ahead of the device, as far as it gets without an end that has not come.
std::unique_ptr<Launcher> make_serial_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener);
/// In the order of the plan, each call when its own time has come, since what the call does depends on what has ended by then.
std::unique_ptr<Launcher> make_stepped_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener,
                                            HostCalls& calls);
/// Under stream_wait `callback`: the first in the plan of the streams' next launches whose awaited ones' host functions have run.
std::unique_ptr<Launcher> make_callback_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan,
                                             Launcher::Listener& listener);

}  // namespace tasktwin::sim
