#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Occupies the core for `ns` nanoseconds from here: thread 0 reads the clock while the others go ahead to the
/// barrier after the body, and stops at the reading nearest to the
/// wanted one, judged by the length of its last step.
__device__ __forceinline__ void spin(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  const long long start = clock64();
  if (threadIdx.x == 0) {
    const auto wanted = static_cast<long long>(ns * scaled_cycles_per_ns >> kCycleScaleBits);
    long long previous = 0;
    long long elapsed = clock64() - start;
    while (elapsed + (elapsed - previous) / 2 < wanted) {
      previous = elapsed;
      elapsed = clock64() - start;
    }
  }
}

}  // namespace tasktwin::gpu
