#pragma once

#include <vector>

#include <cuda_runtime_api.h>

namespace tasktwin::gpu {

/// The parameters of a graph's nodes, to be set again in what was instantiated from it.
class NodeParameters {
 public:
  /// `operations`: whether there are other nodes than kernels; of those that are empty or take the time none are set. Contract: the graph
  /// outlives this, for what parameters point to belongs to it. Throws RunError.
  void read(cudaGraph_t graph, bool operations);
  /// Throws RunError.
  void set(cudaGraphExec_t executable) const;

 private:
  template <class Parameters>
  struct Node {
    cudaGraphNode_t node = nullptr;
    Parameters parameters{};
  };

  std::vector<Node<cudaKernelNodeParams>> kernels_;
  std::vector<Node<cudaMemcpy3DParms>> copies_;
  std::vector<Node<cudaMemsetParams>> memsets_;
  std::vector<Node<cudaHostNodeParams>> functions_;
};

}  // namespace tasktwin::gpu
