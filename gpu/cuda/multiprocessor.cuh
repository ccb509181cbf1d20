#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// Where the calling thread runs.
__device__ inline std::uint32_t multiprocessor() {
  std::uint32_t id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// As many numbers as multiprocessors have: more than there are where these are not numbered in a row.
__device__ inline std::uint32_t multiprocessor_numbers() {
  std::uint32_t numbers;
  asm("mov.u32 %0, %%nsmid;" : "=r"(numbers));
  return numbers;
}

}  // namespace tasktwin::gpu
