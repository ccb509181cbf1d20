#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// Where `object`, which is in shared memory, stands there. The compiler works the address of a shared variable out anew wherever
/// it is used, and on Hopper that begins with a slow read of the block's rank in its cluster; this one it has to keep.
template <class T>
__device__ inline std::uint32_t shared_address(const T& object) {
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&object));
  asm volatile("" : "+r"(address));
  return address;
}

/// What stands there. Contract: a T does.
template <class T>
__device__ inline T& at_shared_address(std::uint32_t address) {
  T* const pointer = reinterpret_cast<T*>(__cvta_shared_to_generic(address));
  __builtin_assume(__isShared(pointer));
  return *pointer;
}

}  // namespace tasktwin::gpu
