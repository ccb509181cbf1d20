#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kDynamicParallelismExecutor;

}  // namespace tasktwin::gpu
