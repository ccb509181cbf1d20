#pragma once

#include "gpu/executors/executor_entry.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kWorkStealingExecutor;

}  // namespace tasktwin::gpu
