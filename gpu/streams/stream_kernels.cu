#include "gpu/streams/stream_kernels.hpp"

#include <vector>

#include "gpu/bodies/body.cuh"
#include "gpu/cuda_error.hpp"
#include "gpu/cuda_graph.hpp"
#include "gpu/memory_order.cuh"
#include "gpu/multiprocessor.cuh"
#include "gpu/order_check.cuh"

namespace tasktwin::gpu {

namespace {

/// A task is done when the last of its blocks has ended; one thread a block calls it.
__device__ void mark_done(const StreamRun& run, std::uint32_t task) {
  if (gridDim.x > 1 && DeviceWord(run.blocks_ended[task]).fetch_add(1, kAcqRel) + 1 < gridDim.x) return;
  run.done[task] = 1;
}

__global__ void __launch_bounds__(kBodyThreads, 1) one_task(const __grid_constant__ StreamRun run, std::uint32_t task) {
  extern __shared__ __align__(128) std::byte scratch[];
  const DeviceTask mine = run.tasks[task];
  if (run.programmatic) {
    // The next kernels come only now, so that no more than one step of them waits on the multiprocessors.
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
  }
  const std::uint64_t started = global_timer();
  if (run.done) check_predecessors(mine, run.predecessors, run.done, run.violations);
  run_body(mine.body, run.bodies, scratch);
  body_sync();
  if (threadIdx.x != 0) return;
  if (run.stamped || mine.edges.successor_count == 0) {
    if (gridDim.x > 1) {
      run.blocks[run.first_block[task] + blockIdx.x] = {started, global_timer(), multiprocessor(), 0};
    } else {
      run.phases[task].started = started;
      run.phases[task].ended = global_timer();
      run.phases[task].core = multiprocessor();
    }
  }
  if (run.done) mark_done(run, task);
}

__global__ void stamp_beside(const __grid_constant__ StreamRun /*run*/, std::uint32_t /*task*/, std::uint64_t* stamp) {
  *stamp = global_timer();
}

__global__ void stamp_origin(std::uint64_t* origin) {
  *origin = global_timer();
  __threadfence_system();
}

}  // namespace

void prepare_task_kernel() {
  check(cudaFuncSetAttribute(one_task, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBodySharedBytes)),
        "sizing shared memory");
}

void launch_task(const StreamRun& run, const TaskLaunch& launch, cudaStream_t stream) {
  if (!launch.programmatic && !launch.priority) {
    one_task<<<launch.blocks, kBodyThreads, kBodySharedBytes, stream>>>(run, launch.task);
    return;
  }
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = dim3(kBodyThreads);
  config.dynamicSmemBytes = kBodySharedBytes;
  config.stream = stream;
  config.attrs = attributes;
  if (launch.programmatic) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (launch.priority) {
    attributes[config.numAttrs].id = cudaLaunchAttributePriority;
    attributes[config.numAttrs++].val.priority = *launch.priority;
  }
  check(cudaLaunchKernelEx(&config, one_task, run, launch.task), "launching a task");
}

cudaGraphNode_t add_task_node(cudaGraph_t graph, const StreamRun& run, std::uint32_t task, std::uint32_t blocks,
                              std::span<const cudaGraphNode_t> after) {
  void* arguments[] = {const_cast<StreamRun*>(&run), &task};  // read, and copied, by the call below
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(one_task);
  parameters.gridDim = dim3(blocks);
  parameters.blockDim = dim3(kBodyThreads);
  parameters.sharedMemBytes = kBodySharedBytes;
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, after.data(), run.programmatic ? 0 : after.size(), &parameters), "adding a task to the graph");
  if (run.programmatic && !after.empty()) {
    const std::vector<cudaGraphNode_t> to(after.size(), node);
    cudaGraphEdgeData early{};
    early.from_port = cudaGraphKernelNodePortProgrammatic;
    early.type = cudaGraphDependencyTypeProgrammatic;
    const std::vector<cudaGraphEdgeData> edges(after.size(), early);
    check(cudaGraphAddDependencies(graph, after.data(), to.data(), edges.data(), after.size()), "adding programmatic edges to the graph");
  }
  return node;
}

void launch_origin_stamp(std::uint64_t* origin, cudaStream_t stream) { stamp_origin<<<1, 1, 0, stream>>>(origin); }

void launch_wide_stamp(std::uint64_t* origin, cudaStream_t stream) { stamp_beside<<<1, 1, 0, stream>>>(StreamRun{}, 0, origin); }

void add_origin_stamp_node(cudaGraph_t graph, std::uint64_t* origin) {
  void* arguments[] = {&origin};
  add_block_node(graph, reinterpret_cast<const void*>(stamp_origin), 1, arguments, {}, "adding a stamp to the graph");
}

}  // namespace tasktwin::gpu
