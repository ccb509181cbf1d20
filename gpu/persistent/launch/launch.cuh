#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/own/linked_kernels.hpp"
#include "gpu/persistent/launch/launch_beside.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"

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

/// Calls `launch` with the variant of a worker's kernel that the run needs, as template arguments: whether it can do all that is seldom
/// wanted, which is `wanted` or that the run is watched, and how many workers a multiprocessor it leaves registers for.
template <class Launch>
void with_variant(const PersistentRun& run, bool wanted, const Launch& launch) {
  const auto with_room_for = [&]<int kPerCore>() {
    wanted || watched(run) ? launch.template operator()<true, kPerCore>() : launch.template operator()<false, kPerCore>();
  };
  if (run.seats.per_core == 1) return with_room_for.template operator()<1>();
  run.seats.per_core == 2 ? with_room_for.template operator()<2>() : with_room_for.template operator()<4>();
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
/// source that the kernel is in, as lto_unit() names it.
template <class... Parameters>
void launch_workers(void (*kernel)(PersistentRun, Parameters...), std::string_view unit, ResidentGrid grid, cudaStream_t stream,
                    PersistentRun run, std::type_identity_t<Parameters>... parameters) {
  const auto* function = reinterpret_cast<const void*>(kernel);
  std::size_t own_bytes = 0;
  if (const LinkedKernels* const linked = run.bodies.linked) {
    function = linked->resident(function, unit);
    own_bytes = linked->shared_bytes();
    grid.shared_bytes = std::max(grid.shared_bytes, own_bytes);
  }
  void* arguments[] = {&run, &parameters...};
  if (run.seats.per_core == 1) return launch_resident(function, grid, stream, arguments);
  launch_beside(function, {run.seats.per_core, multiprocessor_count(), grid.threads, own_bytes}, stream, arguments);
}

}  // namespace tasktwin::gpu
