#pragma once

#include "gpu/executors/executor_entry.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kDeviceGraphLaunchExecutor;

}  // namespace tasktwin::gpu
