#pragma once

#include "gpu/executors/executor_entry.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kCudaGraphExecutor;

}  // namespace tasktwin::gpu
