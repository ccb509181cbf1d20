#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// A hardware barrier in shared memory: `arrivals` threads arrive (release), any number wait for a phase (acquire).
/// Phases alternate in parity, beginning with 0.
class Mbarrier {
 public:
  __device__ void init(std::uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
  }

  __device__ void arrive() {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.release.cta.shared::cta.b64 state, [%0]; }" ::"r"(address()) : "memory");
  }

  /// The same without a branch.
  __device__ void arrive_if(bool arrives) {
    asm volatile(
        "{ .reg .b64 state; .reg .pred arrives; setp.ne.u32 arrives, %1, 0; "
        "@arrives mbarrier.arrive.release.cta.shared::cta.b64 state, [%0]; }" ::"r"(address()),
        "r"(static_cast<std::uint32_t>(arrives))
        : "memory");
  }

  /// Whether the phase of that parity is over; may suspend the thread for a moment, where the GPU can (compute capability 9.0).
  __device__ bool try_wait(std::uint32_t parity) {
#if __CUDA_ARCH__ < 900
    return is_over(parity);
#else
    std::uint32_t done;
    asm volatile("{ .reg .pred over; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }"
                 : "=r"(done)
                 : "r"(address()), "r"(parity)
                 : "memory");
    return done != 0;
#endif
  }

  /// The same at once.
  __device__ bool is_over(std::uint32_t parity) {
    std::uint32_t done;
    asm volatile("{ .reg .pred over; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }"
                 : "=r"(done)
                 : "r"(address()), "r"(parity)
                 : "memory");
    return done != 0;
  }

  __device__ void wait(std::uint32_t parity) {
    while (!try_wait(parity)) {
    }
  }

 private:
  __device__ std::uint32_t address() { return static_cast<std::uint32_t>(__cvta_generic_to_shared(&state_)); }

  std::uint64_t state_;
};

}  // namespace tasktwin::gpu
