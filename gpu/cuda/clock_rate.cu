#include "gpu/cuda/clock_rate.hpp"

#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/memory_order.cuh"

namespace tasktwin::gpu {

namespace {

constexpr std::uint64_t kWarmUpNs = 10'000'000;
constexpr std::uint64_t kMeasuredNs = 10'000'000;

__device__ std::uint64_t next_tick() {
  const std::uint64_t before = global_timer();
  std::uint64_t now = before;
  while (now == before) now = global_timer();
  return now;
}

/// Counts cycles between two ticks of the timer, both caught as they happen.
__global__ void count_cycles(double* cycles_per_ns) {
  for (const std::uint64_t begin = global_timer(); global_timer() < begin + kWarmUpNs;) {
  }
  const std::uint64_t begin = next_tick();
  const long long first = clock64();
  std::uint64_t end = begin;
  while (end < begin + kMeasuredNs) end = next_tick();
  *cycles_per_ns = static_cast<double>(clock64() - first) / static_cast<double>(end - begin);
}

}  // namespace

bool has_code_here() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, count_cycles);
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) return false;
  check(status, "asking for a kernel's properties");
  return true;
}

double measure_cycles_per_ns() {
  const DeviceBuffer<double> result(1, "the clock rate");
  count_cycles<<<1, 1>>>(result.data());
  check(cudaGetLastError(), "measuring the clock rate");
  return result.to_host("the clock rate").front();
}

}  // namespace tasktwin::gpu
