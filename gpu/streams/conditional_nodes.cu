#include "gpu/streams/conditional_nodes.hpp"

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

namespace {

/// A node's type, and the values with which it runs its body and with which it does not.
struct Condition {
  cudaGraphConditionalNodeType type;
  std::uint32_t run;
  std::uint32_t skip;
};

Condition condition_of(GraphPredicates type) {
  switch (type) {
    case GraphPredicates::kWhile:
      return {cudaGraphCondTypeWhile, 1, 0};
    case GraphPredicates::kSwitch:
      return {cudaGraphCondTypeSwitch, 0, 1};  // the only case is case 0
    default:
      return {cudaGraphCondTypeIf, 1, 0};
  }
}

__global__ void __launch_bounds__(kBodyThreads, 1)
    decide(const __grid_constant__ StreamRun run, std::uint32_t task, cudaGraphConditionalHandle node, Condition condition) {
  const std::uint64_t started = global_timer();
  const DeviceTask mine = run.tasks[task];
  if (!mine.holds && run.done) check_predecessors(mine, run.predecessors, run.done, run.violations);
  if (threadIdx.x != 0) return;
  cudaGraphSetConditional(node, mine.holds ? condition.run : condition.skip);
  if (mine.holds) return;
  if (run.stamped || mine.edges.successor_count == 0) {
    run.phases[task].started = started;
    run.phases[task].ended = global_timer();
    run.phases[task].core = multiprocessor();
  }
  if (run.done) run.done[task] = 1;
}

__global__ void end_loop(cudaGraphConditionalHandle node) { cudaGraphSetConditional(node, 0); }

constexpr const char* kAdding = "adding a condition to the graph";

}  // namespace

cudaGraphNode_t add_conditional_node(cudaGraph_t graph, const StreamRun& run, GraphPredicates type, const TaskLaunch& launch,
                                     std::span<const cudaGraphNode_t> after) {
  Condition condition = condition_of(type);
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.type = condition.type;
  parameters.conditional.size = 1;
  check(cudaGraphConditionalHandleCreate(&parameters.conditional.handle, graph), "making a condition");

  std::uint32_t task = launch.task;
  void* decided[] = {const_cast<StreamRun*>(&run), &task, &parameters.conditional.handle, &condition};
  const cudaGraphNode_t before = add_block_node(graph, reinterpret_cast<const void*>(decide), kBodyThreads, decided, after, kAdding);
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddNode(&node, graph, &before, nullptr, 1, &parameters), "adding a conditional node to the graph");

  const cudaGraph_t body = parameters.conditional.phGraph_out[0];
  const cudaGraphNode_t kernel = add_task_node(body, run, launch, {});
  if (type == GraphPredicates::kWhile) {
    void* ended[] = {&parameters.conditional.handle};
    add_block_node(body, reinterpret_cast<const void*>(end_loop), 1, ended, {&kernel, 1}, kAdding);
  }
  return node;
}

}  // namespace tasktwin::gpu
