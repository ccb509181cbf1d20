#pragma once

#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

#include "models/base/error.hpp"

namespace tasktwin::gpu {

/// Throws RunError "<what>: <CUDA's words> (<CUDA's name>)" unless `status` is success.
inline void check(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  throw RunError(std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

}  // namespace tasktwin::gpu
