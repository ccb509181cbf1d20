#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <cuda_runtime_api.h>

namespace tasktwin::gpu {

/// Waits until all work in `stream` is done. False as soon as `progress()`, a number that grows as the run proceeds, has
/// made no progress for `patience`. Throws RunError on a CUDA error.
bool await_completion(cudaStream_t stream, std::chrono::milliseconds patience, const std::function<std::uint64_t()>& progress);

}  // namespace tasktwin::gpu
