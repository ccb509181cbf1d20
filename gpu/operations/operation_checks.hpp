#pragma once

#include <cuda_runtime_api.h>

#include "gpu/operations/operation_contents.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

/// One of the two kernels that run just before and just after an operation where the order is checked, and what they do to its bytes.
struct OperationCheck {
  std::uint32_t task = 0;
  bool behind = false;    ///< the one after marks the task as done, the one before looks whether all its predecessors are
  Contents written = {};  ///< after what is looked at
  Contents expected = {};
};

/// Contract: StreamRun::done. Errors are those of cudaGetLastError.
void launch_check(const StreamRun& run, const OperationCheck& check, cudaStream_t stream);

/// The same as a node of `graph`. Throws RunError.
cudaGraphNode_t add_check_node(cudaGraph_t graph, const StreamRun& run, const OperationCheck& check,
                               std::span<const cudaGraphNode_t> after);

}  // namespace tasktwin::gpu
