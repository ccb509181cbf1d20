#include "sim/host/launch_calls.hpp"

#include <utility>

namespace tasktwin::sim {

LaunchCalls::LaunchCalls(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, HostClock& clock, Launcher::Listener& listener)
    : plan_(plan),
      clock_(clock),
      listener_(listener),
      times_(*inputs.machine.host_calls),
      how_(inputs.design.stream_wait),
      set_device_(inputs.machine.peers.where(inputs.graph.devices() > 1).set_device),
      current_device_(plan.empty() ? 0 : plan.front().device) {
  if (inputs.program != nullptr) shares_ = host_shares(*inputs.program, inputs.graph.size());
}

Duration LaunchCalls::own_time(std::uint32_t launch) const {
  return shares_.empty() ? Duration{0} : shares_[index(plan_[launch].task)].own;
}

Nanoseconds LaunchCalls::before(std::uint32_t id) {
  const StreamLaunch& launch = plan_[id];
  const bool changes = std::exchange(current_device_, launch.device) != launch.device;
  const double awaited = how_ == StreamWait::kEvents ? static_cast<double>(launch.awaited.size()) : 0;
  return awaited * times_.stream_wait + (changes ? set_device_ : Nanoseconds{0});
}

void LaunchCalls::make(std::uint32_t launch, Nanoseconds before, Nanoseconds usual) {
  const Nanoseconds call =
      shares_.empty() ? usual + longer_at_first() : Nanoseconds{shares_[index(plan_[launch].task)].launch.value_or(round_ns(usual))};
  const Nanoseconds launched = before + call;
  listener_.launched(launch, clock_.now() + round_ns(before), clock_.now() + round_ns(launched));
  const Nanoseconds mark = how_ == StreamWait::kCallback ? times_.sync : times_.event_record;
  clock_.spend(round_ns(launched + (plan_[launch].records_event ? mark : Nanoseconds{0})));
}

/// By how much the launch that is made takes longer for being one of the run's first.
Nanoseconds LaunchCalls::longer_at_first() {
  if (made_ == mechanism::HostCalls::kFirstLaunches) return Nanoseconds{0};
  ++made_;
  return times_.first_launches / mechanism::HostCalls::kFirstLaunches;
}

}  // namespace tasktwin::sim
