#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "models/base/ids.hpp"
#include "models/design/design.hpp"
#include "models/graph/own_kernels.hpp"
#include "models/run/as_run.hpp"

namespace tasktwin::sim {

/// What bodies take longer in kernels launched for them than on resident cores: LaunchedKernels::body, and KernelCost::launched
/// where the device starts the kernels.
///
/// Where a graph starts them, code goes from core to core with them. A kernel of which every launched body takes kFetched longer finds its
/// code displaced by others' each time, and displaces theirs: after a body of it the next of each other kernel on that core takes
/// KernelCost::cold longer. See docs/model/bodies.md.
class LaunchedBodies {
 public:
  LaunchedBodies(const AsRun& machine, Driver driver, std::size_t cores) {
    const bool by_graph = driver == Driver::kCudaGraph || driver == Driver::kDeviceGraphLaunch;
    for (std::size_t kernel = 0; kernel < machine.kernels.size(); ++kernel) {
      const KernelCost& cost = machine.kernels[kernel];
      const Nanoseconds own = driver == Driver::kStreams ? Nanoseconds{0} : cost.launched;
      longer_[kernel] = round_ns(machine.launched_kernels->body + own);
      fetch_[kernel] = round_ns(cost.cold);
      displaces_[kernel] = by_graph && cost.launched >= kFetched;
    }
    if (displaces_.any()) displaced_.resize(cores);
  }

  /// Of a body that starts now.
  Duration start(Kernel kernel, CoreId core) {
    const auto number = static_cast<std::size_t>(kernel);
    if (displaced_.empty()) return longer_[number];
    Kernels& displaced = displaced_[index(core)];
    const Duration fetch = displaced[number] ? fetch_[number] : Duration{0};
    if (displaces_[number]) displaced.set();
    displaced.reset(number);
    return longer_[number] + fetch;
  }

 private:
  using Kernels = std::bitset<kMostKernels>;

  /// Kernels whose code stays take up to 90 ns longer, others 440 and more.
  static constexpr Nanoseconds kFetched{200};

  std::array<Duration, kMostKernels> longer_{};
  std::array<Duration, kMostKernels> fetch_{};
  Kernels displaces_;
  std::vector<Kernels> displaced_;  ///< by core: whose code is gone; empty where none displaces any
};

}  // namespace tasktwin::sim
