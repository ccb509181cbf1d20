#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

/// What the captured programs share. They know nothing of tasktwin, which runs them unmodified.
namespace program {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

/// `--name VALUE` on the command line, or `otherwise`.
inline long option(int argc, char** argv, const std::string& name, long otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == "--" + name) return std::atol(argv[i + 1]);
  }
  return otherwise;
}

inline bool flag(int argc, char** argv, const std::string& name) {
  return std::any_of(argv + 1, argv + argc, [&](const char* word) { return word == "--" + name; });
}

/// Median of `rounds` times of `work` in µs, the device idle before and after each.
inline double median_us(long rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (long i = -3; i < rounds; ++i) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto begin = std::chrono::steady_clock::now();
    work();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (i >= 0) times.push_back(took.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// y = a x + y, `repeats` times over.
__global__ void axpy(const float* x, float* y, float a, int count, int repeats) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float value = y[i];
  for (int r = 0; r < repeats; ++r) value = a * x[i] + value;
  y[i] = value;
}

/// y[i] = sum of parts[p][i].
__global__ void add_up(const float* const* parts, int part_count, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int p = 0; p < part_count; ++p) sum += parts[p][i];
  y[i] = sum;
}

__global__ void add(const float* left, const float* right, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = left[i] + right[i];
}

__global__ void nothing() {}

inline unsigned int blocks(int count) { return static_cast<unsigned int>((count + 255) / 256); }

}  // namespace program
