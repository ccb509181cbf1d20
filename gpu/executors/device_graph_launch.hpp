#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kDeviceGraphLaunchExecutor;

}  // namespace tasktwin::gpu
