#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "gpu/cuda_error.hpp"
#include "gpu/footprints.hpp"
#include "gpu/own/linked_kernels.hpp"
#include "gpu/persistent/persistent_run.hpp"

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
/// multiprocessor, so that they can be numbered by these (block_number()); those too many are to leave at once. Their shared memory is as
/// asked for, or what a block can have here.
inline void launch_resident(const void* kernel, const ResidentGrid& grid, cudaStream_t stream, void** arguments) {
  const std::size_t shared_bytes = allow_shared_bytes(kernel, grid.shared_bytes);
  check(cudaLaunchCooperativeKernel(kernel, dim3(std::max(grid.blocks, multiprocessor_count())), dim3(grid.threads), arguments,
                                    shared_bytes, stream),
        "launching a persistent kernel");
}

template <class... Parameters>
void launch_resident(void (*kernel)(Parameters...), const ResidentGrid& grid, cudaStream_t stream,
                     std::type_identity_t<Parameters>... parameters) {
  void* arguments[] = {&parameters...};
  launch_resident(reinterpret_cast<const void*>(kernel), grid, stream, arguments);
}

/// The same of workers, which run bodies: where the scenario has some of its own it is the kernel that these are linked into. `unit`: the
/// source that the kernel stands in, as lto_unit() names it.
template <class... Parameters>
void launch_workers(void (*kernel)(PersistentRun, Parameters...), std::string_view unit, ResidentGrid grid, cudaStream_t stream,
                    PersistentRun run, std::type_identity_t<Parameters>... parameters) {
  const auto* function = reinterpret_cast<const void*>(kernel);
  if (const LinkedKernels* const linked = run.bodies.linked) {
    function = linked->resident(function, unit);
    grid.shared_bytes = std::max(grid.shared_bytes, linked->shared_bytes());
  }
  void* arguments[] = {&run, &parameters...};
  launch_resident(function, grid, stream, arguments);
}

}  // namespace tasktwin::gpu
