#pragma once

#include <span>
#include <utility>

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

/// A graph of nodes, to be instantiated.
class CudaGraph {
 public:
  CudaGraph() { check(cudaGraphCreate(&graph_, 0), "creating a graph"); }
  /// Takes `graph` over.
  explicit CudaGraph(cudaGraph_t graph) : graph_(graph) {}
  ~CudaGraph() {
    if (graph_) static_cast<void>(cudaGraphDestroy(graph_));
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  operator cudaGraph_t() const { return graph_; }
  /// It is the caller's from now on.
  cudaGraph_t release() { return std::exchange(graph_, nullptr); }

 private:
  cudaGraph_t graph_ = nullptr;
};

/// A node of one block after `after`; `arguments` are copied. `what` says what is being added, should that fail.
inline cudaGraphNode_t add_block_node(cudaGraph_t graph, const void* kernel, unsigned threads, void** arguments,
                                      std::span<const cudaGraphNode_t> after, const char* what) {
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(kernel);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(threads);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters), what);
  return node;
}

/// A graph that can be launched, any number of times but never concurrently with itself; it outlives the one it was made from.
class ExecutableGraph {
 public:
  explicit ExecutableGraph(const CudaGraph& graph, unsigned long long flags = 0) {
    check(cudaGraphInstantiate(&graph_, graph, flags), "instantiating the graph");
  }
  ~ExecutableGraph() {
    if (graph_) static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  ExecutableGraph(ExecutableGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  ExecutableGraph& operator=(ExecutableGraph&&) = delete;

  operator cudaGraphExec_t() const { return graph_; }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace tasktwin::gpu
