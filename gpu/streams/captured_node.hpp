#pragma once

#include <functional>
#include <span>

#include <cuda_runtime_api.h>

namespace tasktwin::gpu {

/// What `launch` puts into `stream`, which is one kernel, as a node of `graph` after the nodes `after`. So it keeps what the stream gives
/// it, as its share of the SMs. Contract: the stream is not being captured. Throws RunError.
cudaGraphNode_t add_captured_node(cudaGraph_t graph, std::span<const cudaGraphNode_t> after, cudaStream_t stream,
                                  const std::function<void()>& launch);

}  // namespace tasktwin::gpu
