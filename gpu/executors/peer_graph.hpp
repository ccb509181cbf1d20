#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kPeerGraphExecutor;

}  // namespace tasktwin::gpu
