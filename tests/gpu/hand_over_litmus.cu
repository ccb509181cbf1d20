// What resident workers do to hand a slot of shared memory from warp to warp, and nothing else: compute-sanitizer is held against it, whose
// racecheck and synccheck name faults here that there are none (scripts/gpu_sanitizers.sh). Exit code 0 where the sums are right.
#include <cstdio>

#include <cuda_runtime.h>

#include "gpu/cuda/mbarrier.cuh"
#include "gpu/cuda/named_barrier.cuh"

namespace {

using tasktwin::gpu::Mbarrier;
using tasktwin::gpu::NamedBarrier;

constexpr std::uint32_t kWarp = 32;
constexpr int kRounds = 100;

/// Written by the first warp, read by the second, given back by the third, as fetching, bodies and publishing do. The second's reads come
/// before its arrival, which the third waits for before it arrives, which the first waits for before it writes again.
__global__ void three_warps(int* sums) {
  __shared__ int slot;
  __shared__ Mbarrier empty;
  const NamedBarrier full(1);
  const NamedBarrier done(2);
  const std::uint32_t warp = threadIdx.x / kWarp;
  const std::uint32_t lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0) empty.init(1);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (warp == 0) {
      empty.wait((static_cast<std::uint32_t>(round) & 1u) ^ 1u);
      if (lane == 0) slot = round;
      __syncwarp();
      full.arrive(2 * kWarp);
    } else if (warp == 1) {
      full.sync(2 * kWarp);
      sum += slot;
      __syncwarp();
      done.arrive(2 * kWarp);
    } else {
      done.sync(2 * kWarp);
      empty.arrive_if(lane == 0);
    }
  }
  if (warp == 1) sums[lane] = sum;
}

/// A leading warp and another meet at named barriers, each at its own place in the program, and all the block's threads take part.
__global__ void two_warps(int* sums) {
  __shared__ int slot;
  const NamedBarrier called(1);
  const NamedBarrier ended(2);
  const std::uint32_t lane = threadIdx.x % kWarp;
  int sum = 0;
  if (threadIdx.x < kWarp) {
    for (int round = 0; round < kRounds; ++round) {
      if (lane == 0) slot = round;
      __syncwarp();
      called.sync(2 * kWarp);
      ended.sync(2 * kWarp);
    }
  } else {
    for (int round = 0; round < kRounds; ++round) {
      called.sync(2 * kWarp);
      sum += slot;
      ended.sync(2 * kWarp);
    }
    sums[lane] = sum;
  }
}

bool right(const char* what, int* sums) {
  int found[kWarp] = {};
  const cudaError_t status = cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost);
  bool all = status == cudaSuccess;
  for (const int sum : found) all = all && sum == kRounds * (kRounds - 1) / 2;
  std::printf("%s: %s, %s\n", what, cudaGetErrorString(status), all ? "right" : "wrong");
  return all;
}

}  // namespace

int main() {
  int* sums = nullptr;
  if (const cudaError_t status = cudaMalloc(&sums, kWarp * sizeof(int)); status != cudaSuccess) {
    std::printf("no GPU: %s\n", cudaGetErrorString(status));
    return 77;
  }
  three_warps<<<1, 3 * kWarp>>>(sums);
  const bool three = right("three warps", sums);
  two_warps<<<1, 2 * kWarp>>>(sums);
  const bool two = right("two warps", sums);
  cudaFree(sums);
  return three && two ? 0 : 1;
}
