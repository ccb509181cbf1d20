#pragma once

#include <optional>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// Why the executors of drivers `streams` and `cuda_graph` do not run the copies, memsets, allocations, frees and host functions of
/// `graph` under `design`, naming the first such task; nullopt if they do. Known without CUDA. Contract: check_design has passed, and
/// `design` has one of the two drivers.
std::optional<std::string> why_no_operation(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin::gpu
