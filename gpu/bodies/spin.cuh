#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Occupies the calling thread for `ns` nanoseconds from here, to the nearest step: who acts on a reading of the clock does so a step
/// later.
__device__ __forceinline__ void spin_alone(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  const auto now = [] {  // whole, which is read faster than its lower half
    std::int64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    return cycles;
  };
  const std::int64_t start = now();
  const auto wanted = static_cast<std::int64_t>(ns * scaled_cycles_per_ns >> kCycleScaleBits);
  std::int64_t previous = 0;
  std::int64_t elapsed = now() - start;
  while (elapsed + (3 * (elapsed - previous) >> 1) < wanted) {
    previous = elapsed;
    elapsed = now() - start;
  }
}

/// Occupies the core: thread 0 spins while the others go ahead to the barrier after the body.
__device__ __forceinline__ void spin(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  if (threadIdx.x == 0) spin_alone(ns, scaled_cycles_per_ns);
}

}  // namespace tasktwin::gpu
