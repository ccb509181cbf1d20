#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "gpu/problems/buffer_values.hpp"

namespace tasktwin::gpu {

/// Queues filling `data`, buffer `number` of its scenario, as buffer_value() says.
void fill_buffer(std::byte* data, const OwnBuffer& buffer, std::size_t number, cudaStream_t stream);

}  // namespace tasktwin::gpu
