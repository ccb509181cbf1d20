#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::oracles {

/// When each task of a CUDA graph starts, by TaskId: what docs/model/graph_launch.md says of the device, followed nanosecond by nanosecond.
/// Contract: a core for each task; tasks are kernels of a fixed time; the host takes `machine`'s per_root over a root, and nothing else.
std::vector<std::int64_t> graph_starts(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin::oracles
