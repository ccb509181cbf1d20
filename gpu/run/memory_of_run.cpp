#include "gpu/run/memory_of_run.hpp"

#include <algorithm>
#include <thread>

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&free, &all), "asking how much memory is free");
  return static_cast<std::int64_t>(free);
}

}  // namespace

Duration settling_time(std::int64_t bytes) {
  constexpr std::int64_t kBytesPerMs = 400'000'000;
  constexpr std::int64_t kMostMs = 200;
  return std::chrono::milliseconds{std::clamp<std::int64_t>(bytes / kBytesPerMs, 0, kMostMs)};
}

MemoryOfRun::MemoryOfRun() : free_before_(free_bytes()) {}

MemoryOfRun::~MemoryOfRun() { given_back_ = taken_; }

void MemoryOfRun::settle() {
  taken_ = std::max<std::int64_t>(0, free_before_ - free_bytes());
  std::this_thread::sleep_for(settling_time(taken_ + given_back_));
}

}  // namespace tasktwin::gpu
