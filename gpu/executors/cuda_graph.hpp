#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kCudaGraphExecutor;

}  // namespace tasktwin::gpu
