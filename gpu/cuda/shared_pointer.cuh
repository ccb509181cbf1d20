#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// The address of `object` in shared memory. The compiler works the address of a shared variable out again wherever
/// it is used, and on Hopper that begins with a slow read of the block's rank in its cluster; this one it has to keep.
template <class T>
__device__ inline std::uint32_t shared_address(const T& object) {
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&object));
  asm volatile("" : "+r"(address));
  return address;
}

/// The object there. Contract: it is a T.
template <class T>
__device__ inline T& at_shared_address(std::uint32_t address) {
  T* const pointer = reinterpret_cast<T*>(__cvta_shared_to_generic(address));
  __builtin_assume(__isShared(pointer));
  return *pointer;
}

/// 16 bytes at a shared address, read here and not where they are first needed: reads side by side cost no more than one.
__device__ inline uint4 read_shared(std::uint32_t address) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address)
               : "memory");
  return value;
}
__device__ inline std::uint32_t read_shared_word(std::uint32_t address) {
  std::uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
__device__ inline void write_shared_word(std::uint32_t address, std::uint32_t value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace tasktwin::gpu
