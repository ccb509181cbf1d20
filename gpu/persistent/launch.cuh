#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "gpu/cuda_error.hpp"
#include "gpu/own/linked_kernels.hpp"
#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

struct ResidentGrid {
  std::uint32_t blocks;  ///< that take part
  int threads;
  std::size_t shared_bytes;
  std::string unit;  ///< the source that the kernel stands in, as lto_unit() names it
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
/// Where the scenario has bodies of its own it is the kernel that these are linked into.
template <class... Parameters>
void launch_resident(void (*kernel)(PersistentRun, Parameters...), const ResidentGrid& grid, cudaStream_t stream, PersistentRun run,
                     std::type_identity_t<Parameters>... parameters) {
  const LinkedKernels* const linked = run.bodies.linked;
  const auto* const built_in = reinterpret_cast<const void*>(kernel);
  const void* const function = linked ? linked->resident(built_in, grid.unit) : built_in;
  const std::size_t shared_bytes = std::max(grid.shared_bytes, linked ? linked->shared_bytes() : 0);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "sizing shared memory");
  void* arguments[] = {&run, &parameters...};
  check(cudaLaunchCooperativeKernel(function, dim3(std::max(grid.blocks, multiprocessor_count())), dim3(grid.threads), arguments,
                                    shared_bytes, stream),
        "launching a persistent kernel");
}

}  // namespace tasktwin::gpu
