#pragma once

#include <optional>
#include <string>

#include "models/design.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::verify {

/// Why no GPU executor runs `graph` under `design`, naming the first axis, or the task, that none has; nullopt where one may
/// (gpu::why_unsupported then has the last word). Known without a GPU and without CUDA.
std::optional<std::string> why_no_executor(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin::verify
