#pragma once

#include <algorithm>
#include <array>

#include "models/graph/own_kernels.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// The cache from which resident cores take the code of their bodies. A kernel's first body sends for it, and until it has come,
/// KernelCost::cold later, or uncached_cold in a run that finds the cache empty, no body of that kernel proceeds. See docs/model/bodies.md.
class CodeFetches {
 public:
  CodeFetches() { there_.fill(kAbsent); }

  /// How long a body that starts at `start` waits for its code. Those told later may start earlier.
  Duration wait(const KernelCost& cost, Kernel kernel, TimePoint start) {
    TimePoint& there = there_[static_cast<std::size_t>(kernel)];
    const TimePoint comes = start + round_ns(std::max(cost.cold, cost.uncached_cold));
    there = is_present(there) ? std::min(there, comes) : comes;
    return std::max(Duration{0}, there - start);
  }

 private:
  std::array<TimePoint, kMostKernels> there_;  ///< by kernel: from then on its code is there; kAbsent before anyone sent for it
};

}  // namespace tasktwin::sim
