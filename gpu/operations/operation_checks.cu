#include "gpu/cuda/graph_handle.hpp"
#include "gpu/operations/operation_checks.hpp"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

namespace {

__global__ void __launch_bounds__(kBodyThreads, 1)
    check_operation(const __grid_constant__ StreamRun run, const __grid_constant__ OperationCheck one) {
  if (!one.behind) check_predecessors(run.tasks[one.task], run.predecessors, run.done, run.violations);
  bool wrong = false;
  for (std::uint64_t look = threadIdx.x; look < one.expected.looks(); look += kBodyThreads) {
    const std::uint64_t at = one.expected.position(look);
    wrong |= one.expected.words[at] != one.expected.word(at);
  }
  const bool any = __syncthreads_or(wrong) != 0;
  for (std::uint64_t look = threadIdx.x; look < one.written.looks(); look += kBodyThreads) {
    const std::uint64_t at = one.written.position(look);
    one.written.words[at] = one.written.word(at);
  }
  if (threadIdx.x != 0) return;
  if (any) atomicAdd(run.violations, 1u);
  if (one.behind) run.done[one.task] = 1;
}

}  // namespace

void launch_check(const StreamRun& run, const OperationCheck& one, cudaStream_t stream) {
  check_operation<<<1, kBodyThreads, 0, stream>>>(run, one);
}

cudaGraphNode_t add_check_node(cudaGraph_t graph, const StreamRun& run, const OperationCheck& one, std::span<const cudaGraphNode_t> after) {
  void* arguments[] = {const_cast<StreamRun*>(&run), const_cast<OperationCheck*>(&one)};  // read, and copied, by the call below
  return add_block_node(graph, reinterpret_cast<const void*>(check_operation), kBodyThreads, arguments, after,
                        "adding a check to the graph");
}

}  // namespace tasktwin::gpu
