#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Occupies the core for `ns` nanoseconds from here: thread 0 reads the clock while the others go ahead to the
/// barrier after the body, and stops at the reading nearest to the wanted one, judged by the length of its last step.
__device__ __forceinline__ void spin(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  const auto now = [] { return static_cast<std::uint32_t>(clock64()); };  // read faster than clock()
  std::uint32_t start = now();
  if (threadIdx.x != 0) return;
  constexpr std::uint32_t kHalfRange = 1u << 31;
  std::uint64_t wanted = ns * scaled_cycles_per_ns >> kCycleScaleBits;
  for (; wanted >= kHalfRange; wanted -= kHalfRange, start += kHalfRange) {
    while (now() - start < kHalfRange) {
    }
  }
  std::uint32_t previous = 0;
  std::uint32_t elapsed = now() - start;
  while (elapsed + (elapsed - previous) / 2 < static_cast<std::uint32_t>(wanted)) {
    previous = elapsed;
    elapsed = now() - start;
  }
}

}  // namespace tasktwin::gpu
