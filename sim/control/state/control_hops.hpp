#pragma once

#include <algorithm>

#include "models/run/as_run.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// How long what one control core of the device writes takes to be seen by another: ControlLoop::hop, and more from package to package
/// (mechanism::Distances). Packages hold control cores by DispatcherId: dispatchers first, then resolvers, then orchestrators.
class ControlHops {
 public:
  ControlHops(const AsRun& machine, const Design& design)
      : near_(round_ns(machine.control.hop)), dispatchers_(static_cast<std::uint32_t>(dispatcher_count(design, machine))) {
    if (!machine.distances || runtime_of(design).host_dispatched()) return;
    package_ = static_cast<std::uint32_t>(machine.distances->control_package);
    farther_ = round_ns(machine.distances->package_hop);
  }

  Duration between(DispatcherId from, DispatcherId to) const {
    return near_ + (package_of(static_cast<std::uint32_t>(from)) == package_of(static_cast<std::uint32_t>(to)) ? Duration{0} : farther_);
  }
  /// Until all dispatchers can see it: a queue that they share is of use once the farthest does.
  Duration to_dispatchers(DispatcherId from) const {
    Duration longest = near_;
    for (std::uint32_t d = 0; d < dispatchers_; ++d) longest = std::max(longest, between(from, DispatcherId{d}));
    return longest;
  }

 private:
  std::uint32_t package_of(std::uint32_t core) const { return package_ == 0 ? 0 : core / package_; }

  Duration near_;
  std::uint32_t dispatchers_;
  std::uint32_t package_ = 0;  ///< control cores of one; 0 where all are equally near
  Duration farther_{};
};

}  // namespace tasktwin::sim
