#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kHostDispatcherExecutor;

}  // namespace tasktwin::gpu
