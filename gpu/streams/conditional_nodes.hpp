#pragma once

#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "gpu/task_kernels/stream_kernels.hpp"
#include "models/axes/graphs.hpp"

namespace tasktwin::gpu {

/// A task with a predicate as two nodes of `graph`, after the nodes `after`: a small kernel that reads the predicate from the task's
/// description and sets the second one's value, and a conditional node whose body is the task's kernel (add_task_node), which is returned.
/// Where the predicate does not hold, the small kernel stamps the task's start and end, and checks its order, in the body's place. Under
/// `while` a further small kernel after the body's sets the value to 0. Contract: `type` is not `kernel`, and not
/// StreamRun::programmatic. Throws RunError.
cudaGraphNode_t add_conditional_node(cudaGraph_t graph, const StreamRun& run, GraphPredicates type, const TaskLaunch& launch,
                                     std::span<const cudaGraphNode_t> after);

}  // namespace tasktwin::gpu
