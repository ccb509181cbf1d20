#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace tasktwin::gpu {

/// Queues the reading of all `bytes` at `data`, a multiple of 16 of each: what was in the L2 cache is gone after it, if they are more than
/// that holds, and what is there instead need not be written back. (After a memset of as much, the first 50 MB that an H200's cores read
/// took twice as long.)
void read_through(const void* data, std::size_t bytes, cudaStream_t stream);

}  // namespace tasktwin::gpu
