#pragma once

#include "gpu/bodies/body_context.hpp"
#include "gpu/cuda/warp.cuh"

namespace tasktwin::gpu {

inline constexpr int kBodyWarps = kBodyThreads / 32;

/// threadIdx.x, read again: what a body computes from it is not computed before the loop that runs one body after the other,
/// where all bodies together would need more registers than there are.
__device__ __forceinline__ int body_thread() { return static_cast<int>(thread_here()); }

/// Barrier of the kBodyThreads threads of a body alone: named barrier 1, so that the block's other warps need not come.
__device__ __forceinline__ void body_sync() { asm volatile("bar.sync 1, %0;" ::"n"(kBodyThreads) : "memory"); }

/// 16 bytes that never change while a kernel runs, read past the L1 cache.
__device__ __forceinline__ uint4 load_constant(const uint4* address) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
  return value;
}

/// Keeps the assembler from dropping the work for `value` (an empty asm statement would stop the compiler alone): what
/// follows the comparison has an effect, though hardly ever a turn.
__device__ __forceinline__ void keep(unsigned value) {
  if (value == 0x9e3779b9u) __nanosleep(1);
}

/// The eight floats of eight bfloat16.
__device__ __forceinline__ void unpack_bf16(const uint4& packed, float (&values)[8]) {
  const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    values[2 * i] = __uint_as_float(words[i] << 16);
    values[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

/// The sum over the lanes of a warp, on every lane.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

/// Starts copying 16 bytes of global memory, through L2 alone, to shared memory.
__device__ __forceinline__ void copy_async(float* shared, const float* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "l"(global)
               : "memory");
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most kPending of this thread's groups of copies are in flight.
template <int kPending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tasktwin::gpu
