#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "gpu/cuda_error.hpp"

namespace tasktwin::gpu {

struct ResidentGrid {
  std::uint32_t blocks;
  int threads;
  std::size_t shared_bytes;
};

/// Launches blocks that are all resident at once, or throws: a cooperative launch refuses what does not fit.
template <class... Parameters>
void launch_resident(void (*kernel)(Parameters...), const ResidentGrid& grid, cudaStream_t stream,
                     std::type_identity_t<Parameters>... parameters) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)),
        "sizing shared memory");
  void* arguments[] = {&parameters...};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks), dim3(grid.threads), arguments,
                                    grid.shared_bytes, stream),
        "launching a persistent kernel");
}

}  // namespace tasktwin::gpu
