#pragma once

#include <optional>
#include <string>

#include "models/graph/task_graph.hpp"
#include "models/runtimes/runtime.hpp"

namespace tasktwin::gpu {

/// Why executors of that kind do not run tasks of the kernel, nullopt if they do.
std::optional<std::string> why_no_own(const OwnKernel& kernel, OwnBodies support);

/// The first task that such an executor does not run and why not; nullopt if it runs all. No executor runs tasks that vary at
/// will or that may not exist, nor any that need something other than SMs. Predicates are drawn before the run.
std::optional<std::string> why_no_task(const TaskGraph& graph, const TaskSupport& support);

}  // namespace tasktwin::gpu
