#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Kernels that kernels launch.
struct DynamicParallelism {
  Nanoseconds start{};
  Nanoseconds launch{};
  Nanoseconds again{};
  Nanoseconds per_lane{};
  Nanoseconds further{};
  Nanoseconds busy{};
  Nanoseconds beside{};
  Nanoseconds spread{};
  Nanoseconds latency{};
  Nanoseconds service{};
  Nanoseconds end{};
  Nanoseconds stall{};
  Nanoseconds stall_per_kernel{};
  Nanoseconds block{};
  Nanoseconds uncached_block{};
  Nanoseconds crowd{};
  int lanes = 0;
  int block_warps = 0;
  int further_launches = 0;

  static constexpr auto fields() {
    using M = DynamicParallelism;
    return std::array{
        constant<&M::start>(Payer::kDevice, "host's launch call begun to a kernel launching its first kernel, everything idle"),
        constant<&M::launch>(Payer::kDevice, "a kernel launching one kernel"),
        constant<&M::again>(Payer::kDevice, "a thread launching a further kernel"),
        constant<&M::per_lane>(Payer::kDevice, "between two kernels that lanes of a warp launch"),
        constant<&M::further>(Payer::kDevice, "added to launch_ns where the warp has launched others before"),
        constant<&M::busy>(Payer::kDevice, "by which launch_ns and latency_ns are less where other warps are launching"),
        constant<&M::beside>(Payer::kDevice, "added to launch_ns and latency_ns by each other warp that is launching, mean"),
        constant<&M::spread>(Payer::kDevice, "of beside_ns: mean of what differs from launch to launch"),
        constant<&M::latency>(Payer::kDevice, "that launch begun to the kernel starting, everything idle"),
        constant<&M::service>(Payer::kDevice, "between two kernels that start, whoever launched them"),
        constant<&M::end>(Payer::kDevice, "by which the next kernel starts later for each that ends"),
        constant<&M::stall>(Payer::kDevice, "by which bodies that use memory are held up by each launch of a warp while they run"),
        constant<&M::stall_per_kernel>(Payer::kDevice, "added to it by each kernel of the launch but the first"),
        constant<&M::block>(Payer::kDevice, "between two kernels that warps of one block launch side by side")
            .added_when_cold(&M::uncached_block),
        constant<&M::uncached_block>(Payer::kDevice, "added to block_ns in a run that finds the cache empty"),
        constant<&M::crowd>(Payer::kDevice, "added to block_ns by each other warp of the block that makes its first launches"),
        constant<&M::lanes>(Payer::kDevice, "lanes of a warp, which launch kernels side by side"),
        constant<&M::block_warps>(Payer::kDevice, "warps of the block that launches the roots"),
        constant<&M::further_launches>(
            Payer::kDevice, "launches of a warp for one task up to which those beyond the first of each lane cost further_ns more"),
    };
  }
};

}  // namespace tasktwin::mechanism
