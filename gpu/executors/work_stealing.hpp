#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kWorkStealingExecutor;

}  // namespace tasktwin::gpu
