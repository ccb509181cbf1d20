#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kCudaStreamsExecutor;

}  // namespace tasktwin::gpu
