#pragma once

#include <array>

#include "models/design.hpp"
#include "models/machine.hpp"

namespace tasktwin::sim {

/// What bodies take longer in kernels launched for them than on resident cores: Constants::launched_body, and KernelCost::launched
/// where the device starts the kernels.
class LaunchedBodies {
 public:
  LaunchedBodies(const Machine& machine, Driver driver) {
    for (std::size_t kernel = 0; kernel < kKernelCount; ++kernel) {
      const Nanoseconds own = driver == Driver::kStreams ? Nanoseconds{0} : machine.kernels[kernel].launched;
      longer_[kernel] = round_ns(machine.constants.launched_body + own);
    }
  }

  Duration of(Kernel kernel) const { return longer_[static_cast<std::size_t>(kernel)]; }

 private:
  std::array<Duration, kKernelCount> longer_{};
};

}  // namespace tasktwin::sim
