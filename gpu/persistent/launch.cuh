#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "gpu/cuda_error.hpp"

namespace tasktwin::gpu {

struct ResidentGrid {
  std::uint32_t blocks;  ///< that take part
  int threads;
  std::size_t shared_bytes;
};

inline std::uint32_t multiprocessor_count() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for the GPU's properties");
  return static_cast<std::uint32_t>(count);
}

/// Launches blocks that are all resident at once, or throws: a cooperative launch refuses what does not fit. There is one on each
/// multiprocessor, so that they can be numbered by these (block_number()); those too many are to leave at once.
template <class... Parameters>
void launch_resident(void (*kernel)(Parameters...), const ResidentGrid& grid, cudaStream_t stream,
                     std::type_identity_t<Parameters>... parameters) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)),
        "sizing shared memory");
  void* arguments[] = {&parameters...};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(std::max(grid.blocks, multiprocessor_count())),
                                    dim3(grid.threads), arguments, grid.shared_bytes, stream),
        "launching a persistent kernel");
}

}  // namespace tasktwin::gpu
