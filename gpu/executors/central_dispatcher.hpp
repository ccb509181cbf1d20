#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kCentralDispatcherExecutor;

}  // namespace tasktwin::gpu
