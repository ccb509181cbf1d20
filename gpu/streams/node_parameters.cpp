#include "gpu/streams/node_parameters.hpp"

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

namespace {

template <class Nodes, class Call>
void read_one(Nodes& nodes, cudaGraphNode_t node, Call call) {
  nodes.push_back({node, {}});
  check(call(node, &nodes.back().parameters), "asking for a node's parameters");
}

template <class Nodes, class Call>
void set_all(const Nodes& nodes, cudaGraphExec_t executable, Call call) {
  for (const auto& one : nodes) check(call(executable, one.node, &one.parameters), "setting a node's parameters");
}

}  // namespace

void NodeParameters::read(cudaGraph_t graph, bool operations) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "counting the graph's nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "asking for the graph's nodes");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    if (operations) check(cudaGraphNodeGetType(node, &type), "asking for a node's type");
    switch (type) {
      case cudaGraphNodeTypeKernel:
        read_one(kernels_, node, cudaGraphKernelNodeGetParams);
        break;
      case cudaGraphNodeTypeMemcpy:
        read_one(copies_, node, cudaGraphMemcpyNodeGetParams);
        break;
      case cudaGraphNodeTypeMemset:
        read_one(memsets_, node, cudaGraphMemsetNodeGetParams);
        break;
      case cudaGraphNodeTypeHost:
        read_one(functions_, node, cudaGraphHostNodeGetParams);
        break;
      default:
        break;
    }
  }
}

void NodeParameters::set(cudaGraphExec_t executable) const {
  set_all(kernels_, executable, cudaGraphExecKernelNodeSetParams);
  set_all(copies_, executable, cudaGraphExecMemcpyNodeSetParams);
  set_all(memsets_, executable, cudaGraphExecMemsetNodeSetParams);
  set_all(functions_, executable, cudaGraphExecHostNodeSetParams);
}

}  // namespace tasktwin::gpu
