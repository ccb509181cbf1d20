#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Kernels that kernels launch.
struct DynamicParallelism {
  Nanoseconds launch{};
  Nanoseconds again{};
  Nanoseconds per_lane{};
  Nanoseconds further{};
  Nanoseconds beside{};
  Nanoseconds latency{};
  Nanoseconds service{};
  Nanoseconds end{};
  Nanoseconds block{};
  Nanoseconds crowd{};

  static constexpr auto fields() {
    using M = DynamicParallelism;
    return std::array{
        constant<&M::launch>(Payer::kDevice, "a kernel launching one kernel"),
        constant<&M::again>(Payer::kDevice, "a thread launching a further kernel"),
        constant<&M::per_lane>(Payer::kDevice, "between two kernels that lanes of a warp launch"),
        constant<&M::further>(Payer::kDevice, "added to launch_ns where the warp has launched others before"),
        constant<&M::beside>(Payer::kDevice, "added to launch_ns and latency_ns by each other warp that is launching"),
        constant<&M::latency>(Payer::kDevice, "that launch begun to the kernel starting, everything idle"),
        constant<&M::service>(Payer::kDevice, "between two kernels that start, of any launchers"),
        constant<&M::end>(Payer::kDevice, "by which the next kernel starts later for each that ends"),
        constant<&M::block>(Payer::kDevice, "between two kernels that warps of one block launch side by side"),
        constant<&M::crowd>(Payer::kDevice, "added to block_ns by each other warp of the block that makes its first launches"),
    };
  }
};

}  // namespace tasktwin::mechanism
