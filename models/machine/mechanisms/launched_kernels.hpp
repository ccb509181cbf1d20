#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// The additional costs of kernels that are started for one task each, over bodies on resident cores.
struct LaunchedKernels {
  Nanoseconds body{};
  Nanoseconds release{};
  Nanoseconds stream_latency{};
  Nanoseconds around{};
  Nanoseconds per_block{};

  static constexpr auto fields() {
    using M = LaunchedKernels;
    return std::array{
        constant<&M::body>(Payer::kDevice, "added to a body by being in a kernel launched for it"),
        constant<&M::release>(Payer::kDevice, "body ended to its successors' counters decremented, in a kernel launched for it")
            .in(CostGroup::kFences),
        constant<&M::stream_latency>(Payer::kDevice,
                                     "from a request of a block of kernel stream to its arrival; a block of few threads or little "
                                     "shared memory has few bytes in flight"),
        constant<&M::around>(Payer::kDevice,
                             "of the time between two kernels of this project, what they read before a body and write after it, which "
                             "kernels of others do not")
            .in_no_group(),
        constant<&M::per_block>(Payer::kDevice, "between two blocks that the device brings to multiprocessors")
            .in(CostGroup::kHops)
            .or_unstated(),
    };
  }
};

}  // namespace tasktwin::mechanism
