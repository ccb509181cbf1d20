#pragma once

#include "gpu/executor.hpp"

namespace tasktwin::gpu {

/// What is made again where the host was unsteady meanwhile.
enum class Again { kRunsAndSeries, kSeries, kNothing };

/// As run(), which makes runs and series again, for measurements that judge for themselves how steady they were, from many runs.
Measurement run_again(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options, Again again);

}  // namespace tasktwin::gpu
