#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kHybridExecutor;

}  // namespace tasktwin::gpu
