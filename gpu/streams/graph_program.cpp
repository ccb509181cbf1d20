#include "gpu/streams/graph_program.hpp"

namespace tasktwin::gpu {

GraphProgram::GraphProgram(const ExecutorInputs& inputs, const TaskKernels& kernels, RunMode mode, StreamProgram* capture,
                           cudaStream_t stream)
    : how_(inputs.design.graph_update),
      stream_(stream),
      graph_(capture != nullptr ? capture->capture(kernels.describe(mode)) : build(inputs, kernels, kernels.describe(mode))) {
  instantiate();
  check(cudaStreamSynchronize(stream_), "uploading the graph");
  if (how_ == GraphUpdate::kNodeParams) read_parameters();
}

cudaGraph_t GraphProgram::build(const ExecutorInputs& inputs, const TaskKernels& kernels, const StreamRun& run) {
  CudaGraph graph;
  std::vector<cudaGraphNode_t> nodes(inputs.graph.size());
  std::vector<cudaGraphNode_t> after;
  for (const TaskId task : inputs.graph.topological_order()) {
    after.clear();
    for (const TaskId before : inputs.graph.predecessors(task)) {
      if (!inputs.options.ignores(before, task)) after.push_back(nodes[index(before)]);
    }
    nodes[index(task)] = add_task_node(graph, run, static_cast<std::uint32_t>(task), kernels.blocks(task), after);
  }
  return graph.release();
}

void GraphProgram::instantiate() {
  executables_.emplace_back(graph_);
  check(cudaGraphUpload(current(), stream_), "uploading the graph");
}

/// Every node is a kernel; what their parameters point to belongs to the graph.
void GraphProgram::read_parameters() {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph_, nullptr, &count), "counting the graph's nodes");
  nodes_.resize(count);
  check(cudaGraphGetNodes(graph_, nodes_.data(), &count), "asking for the graph's nodes");
  for (const cudaGraphNode_t node : nodes_)
    check(cudaGraphKernelNodeGetParams(node, &parameters_.emplace_back()), "asking for a node's parameters");
}

void GraphProgram::update() {
  switch (how_) {
    case GraphUpdate::kNone:
      return;
    case GraphUpdate::kNodeParams:
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        check(cudaGraphExecKernelNodeSetParams(current(), nodes_[i], &parameters_[i]), "setting a node's parameters");
      return;
    case GraphUpdate::kWholeGraph: {
      cudaGraphExecUpdateResultInfo result{};
      check(cudaGraphExecUpdate(current(), graph_, &result), "updating the graph");
      return;
    }
    case GraphUpdate::kReinstantiate:
      return instantiate();
  }
}

void GraphProgram::forget_replaced() {
  if (executables_.size() < 2) return;
  std::vector<ExecutableGraph> kept;
  kept.push_back(std::move(executables_.back()));
  executables_ = std::move(kept);
}

}  // namespace tasktwin::gpu
