#pragma once

#include "gpu/executor.hpp"

namespace tasktwin::gpu {

/// As run(), which makes runs and series again, for measurements that judge for themselves how steady they were, from many runs.
Measurement run_again(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options, Again again);

}  // namespace tasktwin::gpu
