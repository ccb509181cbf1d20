#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace tasktwin::gpu {

/// Blocks of workers of which several share each multiprocessor.
struct BlocksBeside {
  std::uint32_t per_multiprocessor;
  std::uint32_t multiprocessors;
  int threads;                ///< of a block
  std::size_t needed_shared;  ///< dynamic shared memory that bodies need, in bytes
};

/// Launches them on all multiprocessors, all resident at once. Each has an equal part of a multiprocessor's shared memory, so that no more
/// than these are on one, and so just as many on each. Throws InputError, with what they would need and what a multiprocessor has, where
/// fewer find room, RunError for CUDA errors.
void launch_beside(const void* kernel, const BlocksBeside& blocks, cudaStream_t stream, void** arguments);

}  // namespace tasktwin::gpu
