#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kPeerQueuesExecutor;

}  // namespace tasktwin::gpu
