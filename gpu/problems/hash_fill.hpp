#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "gpu/bodies/hashed_values.hpp"

namespace tasktwin::gpu {

/// Queues the generation of entries 0 to count − 1 of a hashed tensor in device memory.
void fill_hashed(Bf16* values, std::size_t count, HashedTensor tensor, float scale, cudaStream_t stream);

}  // namespace tasktwin::gpu
