#pragma once

#include <optional>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::gpu {

/// Why no executor runs `graph` under `design`, naming the axis, the task or the machine's cores; nullopt if one does. Known without a
/// GPU and without CUDA. Contract: check_design has passed.
std::optional<std::string> why_unsupported(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::gpu
