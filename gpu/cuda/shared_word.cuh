#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// A word of shared memory that the warps of a block share, by its address there: what BlockWord does by a pointer that may point
/// anywhere takes much longer. All is relaxed; gpu/cuda/memory_order.cuh has the fences.
class SharedWord {
 public:
  __device__ explicit SharedWord(std::uint32_t address) : address_(address) {}

  __device__ std::uint32_t fetch_add(std::uint32_t value) const {
    std::uint32_t before;
    asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(address_), "r"(value) : "memory");
    return before;
  }

  /// Returns the old value: `expected` if it has been replaced.
  __device__ std::uint32_t compare_exchange(std::uint32_t expected, std::uint32_t wanted) const {
    std::uint32_t before;
    asm volatile("atom.relaxed.cta.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(before) : "r"(address_), "r"(expected), "r"(wanted) : "memory");
    return before;
  }

 private:
  std::uint32_t address_;
};

/// Two words side by side, read and written as one.
class SharedPair {
 public:
  __device__ explicit SharedPair(std::uint32_t address) : address_(address) {}

  __device__ uint2 load() const {
    std::uint64_t value;
    asm volatile("ld.relaxed.cta.shared.b64 %0, [%1];" : "=l"(value) : "r"(address_) : "memory");
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  }

  __device__ void store(uint2 value) const {
    const std::uint64_t both = value.x | std::uint64_t{value.y} << 32;
    asm volatile("st.relaxed.cta.shared.b64 [%0], %1;" ::"r"(address_), "l"(both) : "memory");
  }

 private:
  std::uint32_t address_;
};

}  // namespace tasktwin::gpu
