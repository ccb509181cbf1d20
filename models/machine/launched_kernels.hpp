#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Kernels that are started for one task each, beside what bodies take on resident cores.
struct LaunchedKernels {
  Nanoseconds body{};
  Nanoseconds body_busy{};
  Nanoseconds release{};
  Nanoseconds retire{};
  Nanoseconds release_busy{};
  Nanoseconds stream_latency{};

  static constexpr auto fields() {
    using M = LaunchedKernels;
    return std::array{
        constant<&M::body>(Payer::kDevice, "added to a body by being in a kernel launched for it"),
        constant<&M::body_busy>(Payer::kDevice, "added to that where kernels launch kernels and some warp is launching as the body starts"),
        constant<&M::release>(Payer::kDevice, "body ended to its successors' counters decremented, in a kernel launched for it"),
        constant<&M::retire>(Payer::kDevice, "body ended without successors to its kernel ending, in a kernel launched for it"),
        constant<&M::release_busy>(Payer::kDevice, "added to both where a body ends while some warp is launching kernels"),
        constant<&M::stream_latency>(Payer::kDevice,
                                     "what a block of kernel stream asks the memory for, to its being there; a block of few "
                                     "threads or little shared memory has little under way"),
    };
  }
};

}  // namespace tasktwin::mechanism
