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
        constant<&M::launch>(Payer::kDevice, "a kernel launching one kernel").in(CostGroup::kDispatch),
        constant<&M::again>(Payer::kDevice, "a thread launching a further kernel").in(CostGroup::kDispatch),
        constant<&M::per_lane>(Payer::kDevice, "between two kernels that lanes of a warp launch").in(CostGroup::kDispatch),
        constant<&M::further>(Payer::kDevice, "added to launch_ns where the warp has launched others before").in(CostGroup::kDispatch),
        constant<&M::beside>(Payer::kDevice, "added to launch_ns and latency_ns by each other warp that is launching")
            .in(CostGroup::kDispatch),
        constant<&M::latency>(Payer::kDevice, "that launch begun to the kernel starting, everything idle").in(CostGroup::kHops),
        constant<&M::service>(Payer::kDevice, "between two kernels that start, of any launchers").in(CostGroup::kDispatch),
        constant<&M::end>(Payer::kDevice, "by which the next kernel starts later for each that ends").in(CostGroup::kDispatch),
        constant<&M::block>(Payer::kDevice, "between two kernels that warps of one block launch side by side").in(CostGroup::kDispatch),
        constant<&M::crowd>(Payer::kDevice, "added to block_ns by each other warp of the block that makes its first launches")
            .in(CostGroup::kDispatch),
    };
  }
};

}  // namespace tasktwin::mechanism
