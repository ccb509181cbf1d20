#pragma once

#include <memory>
#include <vector>

#include "sim/host/launcher.hpp"

namespace tasktwin::sim {

/// The threads of the host that launch: one, or under Design::launching `thread_per_device` one a device, each with its device's launches
/// in their order. Assumed: threads do not slow each other down.
class LauncherSet {
 public:
  /// Launches are known by their place in `plan`; `calls` as make_launcher has it.
  LauncherSet(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener, HostCalls* calls);
  ~LauncherSet();
  LauncherSet(const LauncherSet&) = delete;
  LauncherSet& operator=(const LauncherSet&) = delete;

  void begin();
  /// Contract: there is one thread, as check_design sees to with replays.
  TimePoint meet(TimePoint now) { return only_->meet(now); }
  void kernel_ended(std::uint32_t launch, TimePoint now);

 private:
  class Thread;

  std::unique_ptr<Launcher> only_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::uint32_t> thread_of_;  ///< by place in the plan; these two empty where there is one
  std::vector<std::uint32_t> own_number_;
};

}  // namespace tasktwin::sim
