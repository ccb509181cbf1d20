#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kLayerBarrierExecutor;

}  // namespace tasktwin::gpu
