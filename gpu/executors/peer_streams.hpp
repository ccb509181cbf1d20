#pragma once

#include "gpu/executors.hpp"

namespace tasktwin::gpu {

extern const ExecutorEntry kPeerStreamsExecutor;

}  // namespace tasktwin::gpu
