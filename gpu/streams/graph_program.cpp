#include "gpu/streams/graph_program.hpp"

#include "gpu/streams/captured_node.hpp"
#include "gpu/streams/conditional_nodes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin::gpu {

GraphProgram::GraphProgram(const ExecutorInputs& inputs, const TaskKernels& kernels, RunMode mode, StreamProgram* capture,
                           Operations* operations, const StreamSet* sets, cudaStream_t stream)
    : how_(inputs.design.graph_update),
      stream_(stream),
      graph_(capture != nullptr ? capture->capture(kernels.describe(mode))
                                : build(inputs, kernels, kernels.describe(mode), operations, sets)) {
  instantiate();
  check(cudaStreamSynchronize(stream_), "uploading the graph");
  if (how_ == GraphUpdate::kNodeParams) parameters_.read(graph_, operations != nullptr);
}

cudaGraph_t GraphProgram::build(const ExecutorInputs& inputs, const TaskKernels& kernels, const StreamRun& run, Operations* operations,
                                const StreamSet* sets) {
  CudaGraph graph;
  const TaskShares shares(inputs.graph, inputs.design);
  std::vector<cudaGraphNode_t> nodes(inputs.graph.size());
  std::vector<cudaGraphNode_t> after;
  for (const TaskId task : inputs.graph.topological_order()) {
    after.clear();
    for (const TaskId before : inputs.graph.predecessors(task)) {
      if (!inputs.options.ignores(before, task)) after.push_back(nodes[index(before)]);
    }
    if (operations != nullptr && operations->takes(task)) {
      nodes[index(task)] = operations->add_node(graph, run, task, after);
    } else if (sets != nullptr) {
      const cudaStream_t stream = (*sets)[static_cast<std::uint32_t>(shares.of(task))];
      nodes[index(task)] = add_captured_node(graph, after, stream, [&] { launch_task(run, kernels.stream_launch(task), stream); });
    } else if (inputs.design.graph_predicates != GraphPredicates::kKernel && inputs.graph.traits(task).probability < 1) {
      nodes[index(task)] = add_conditional_node(graph, run, inputs.design.graph_predicates, kernels.launch(task), after);
    } else {
      nodes[index(task)] = add_task_node(graph, run, kernels.launch(task), after);
    }
  }
  return graph.release();
}

void GraphProgram::instantiate() {
  executables_.emplace_back(graph_);
  check(cudaGraphUpload(current(), stream_), "uploading the graph");
}

void GraphProgram::update() {
  switch (how_) {
    case GraphUpdate::kNone:
      return;
    case GraphUpdate::kNodeParams:
      return parameters_.set(current());
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
