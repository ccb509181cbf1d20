#pragma once

#include <cstdint>

#include "gpu/bodies/body_thread.cuh"

namespace tasktwin::gpu {

/// Waits for up to 8 products of zero, each of the one before: 7 cycles each (on an H100), without a branch for each. Contract: the
/// assembler cannot know that `zero` is 0.
__device__ __forceinline__ void wait_for_products(int products, int zero) {
  asm volatile(
      "{\n"
      "behind: .branchtargets p0, p1, p2, p3, p4, p5, p6, p7, p8;\n"
      "brx.idx %1, behind;\n"
      "p8: mad.lo.s32 %0, %0, %0, %0;\n"
      "p7: mad.lo.s32 %0, %0, %0, %0;\n"
      "p6: mad.lo.s32 %0, %0, %0, %0;\n"
      "p5: mad.lo.s32 %0, %0, %0, %0;\n"
      "p4: mad.lo.s32 %0, %0, %0, %0;\n"
      "p3: mad.lo.s32 %0, %0, %0, %0;\n"
      "p2: mad.lo.s32 %0, %0, %0, %0;\n"
      "p1: mad.lo.s32 %0, %0, %0, %0;\n"
      "p0:\n"
      "}"
      : "+r"(zero)
      : "r"(min(max(products, 0), 8)));
  keep(static_cast<unsigned>(zero));
}

/// Occupies the calling thread for `ns` nanoseconds from here, or for 0.1 us where that is longer. A loop that reads the clock takes 33
/// cycles a turn (on an H100), so what is left after its last turn goes by in products: all lengths are as exact, to 4 cycles.
__device__ __forceinline__ void spin_alone(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  constexpr std::int64_t kLastTurn = 48;  // longer than a turn, and shorter than 8 products
  constexpr std::int64_t kAround = 143;   // what the rest takes, the products left out
  const auto now = [] {                   // whole, which is read faster than its lower half
    std::int64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    return cycles;
  };
  const std::int64_t end = now() + static_cast<std::int64_t>(ns * scaled_cycles_per_ns >> kCycleScaleBits) - kAround;
  std::int64_t at = now();
  while (at < end - kLastTurn) at = now();
  wait_for_products(static_cast<int>(end - at) * 37 >> 8, static_cast<int>(at >> 63));  // 37 / 256: 1 / 7
}

/// Occupies the core: thread 0 spins while the others go ahead to the barrier after the body.
__device__ __forceinline__ void spin(std::uint64_t ns, std::uint64_t scaled_cycles_per_ns) {
  if (threadIdx.x == 0) spin_alone(ns, scaled_cycles_per_ns);
}

}  // namespace tasktwin::gpu
