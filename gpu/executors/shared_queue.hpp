#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kSharedQueueExecutor;

}  // namespace tasktwin::gpu
