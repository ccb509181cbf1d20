#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kStaticQueuesExecutor;

}  // namespace tasktwin::gpu
