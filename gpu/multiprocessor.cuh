#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// Where the calling thread runs.
__device__ inline std::uint32_t multiprocessor() {
  std::uint32_t id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace tasktwin::gpu
