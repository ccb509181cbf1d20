#include "gpu/task_kernels/stream_kernels.hpp"

#include <algorithm>
#include <vector>

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/own/linked_kernels.hpp"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace stream_kernels {

/// A task is done when the last of its blocks has ended; one thread a block calls it.
__device__ void mark_done(const StreamRun& run, std::uint32_t task) {
  if (gridDim.x > 1 && DeviceWord(run.blocks_ended[task]).fetch_add(1, kAcqRel) + 1 < gridDim.x) return;
  run.done[task] = 1;
}

/// What needs no predecessor; the body that is left is without it.
__device__ __forceinline__ void run_prologue(DeviceTask& task, const BodyContext& context) {
  if (task.prologue_ns == 0) return;
  spin(task.prologue_ns, context.scaled_cycles_per_ns);
  __syncthreads();
  if (task.body.kernel == static_cast<std::uint32_t>(Kernel::kSpin)) task.body.spin_ns -= task.prologue_ns;
}

/// By all threads of a block; `run_body` by those as well, and it synchronises them.
template <class Body>
__device__ __forceinline__ void run_task(const StreamRun& run, std::uint32_t task, const Body& body) {
  DeviceTask mine = run.tasks[task];
  if (run.prologues && run.programmatic) run_prologue(mine, run.bodies);
  if (run.programmatic) {
#if __CUDA_ARCH__ >= 900  // before it such launches are refused (gpu/device/capability.hpp)
    // The next kernels come only now, so that no more than one step of them waits on the multiprocessors.
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
  }
  const std::uint64_t started = global_timer();
  if (run.prologues && !run.programmatic) run_prologue(mine, run.bodies);
  if (run.done) check_predecessors(mine, run.predecessors, run.done, run.violations, blockDim.x);
  body(mine.body);
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

__global__ void __launch_bounds__(kBodyThreads, 1) one_task(const __grid_constant__ StreamRun run, std::uint32_t task) {
  extern __shared__ __align__(128) std::byte scratch[];
  run_task(run, task, [&](const TaskDescriptor& body) {
    const bool listed = run.block_bodies != nullptr && gridDim.x > 1;
    run_body(listed ? run.block_bodies[run.first_block[task] + blockIdx.x] : body, run.bodies, scratch);
    body_sync();
  });
}

/// With few enough registers that they never limit the blocks of an SM, but where the body is a scenario's own: the linker is told
/// then how many there are.
#ifdef TASKTWIN_OPEN_BODIES
#define TASKTWIN_FEW_REGISTERS
#else
#define TASKTWIN_FEW_REGISTERS __launch_bounds__(1024, 2)
#endif
__global__ void TASKTWIN_FEW_REGISTERS task_in_any_block(const __grid_constant__ StreamRun run, std::uint32_t task) {
  extern __shared__ __align__(128) std::byte scratch[];
  run_task(run, task, [&](const TaskDescriptor& body) {
    run_body_in_block(body, run.bodies, scratch);
    __syncthreads();
  });
}

__global__ void stamp_beside(const __grid_constant__ StreamRun /*run*/, std::uint32_t /*task*/, std::uint64_t* stamp) {
  *stamp = global_timer();
}

__global__ void stamp_origin(std::uint64_t* origin) {
  *origin = global_timer();
  __threadfence_system();
}

const void* kernel_for(const Footprint& block) {
  return block.whole_core ? reinterpret_cast<const void*>(one_task) : reinterpret_cast<const void*>(task_in_any_block);
}

/// Dynamic shared memory of such a block: of one that has its core to itself as much as bodies may use, or what it can have here.
std::size_t shared_bytes_of(const Footprint& block) {
  static const std::size_t whole_core = std::min(kBodySharedBytes, most_shared_bytes(reinterpret_cast<const void*>(one_task)));
  return block.whole_core ? whole_core : static_cast<std::size_t>(block.shared_memory);
}

/// Also of tasks whose kernel the scenario has brought along.
const void* kernel_for(const StreamRun& run, const TaskLaunch& launch) {
  const void* const built_in = kernel_for(launch.block);
  return launch.own ? run.bodies.linked->launched(built_in, "stream_kernels", *launch.own) : built_in;
}

}  // namespace stream_kernels

using namespace stream_kernels;

void prepare_task_kernels(int carveout) {
  allow_shared_bytes(reinterpret_cast<const void*>(one_task), kBodySharedBytes);
  const void* const any_block = reinterpret_cast<const void*>(task_in_any_block);
  allow_any_block(any_block);
  check(cudaFuncSetAttribute(any_block, cudaFuncAttributePreferredSharedMemoryCarveout, carveout), "preferring a carve-out");
}

int task_registers(bool whole_core) { return registers_of(kernel_for({.whole_core = whole_core})); }
int task_registers(const LinkedKernels& linked, std::size_t own) {
  return registers_of(linked.launched(kernel_for({}), "stream_kernels", own));
}

void launch_task(const StreamRun& run, const TaskLaunch& launch, cudaStream_t stream) {
  std::uint32_t task = launch.task;
  void* arguments[] = {const_cast<StreamRun*>(&run), &task};  // read, and copied, by the call below
  const dim3 threads(static_cast<unsigned>(launch.block.threads));
  const std::size_t shared_bytes = shared_bytes_of(launch.block);
  std::vector<cudaLaunchAttribute> attributes = footprint_attributes(launch.block);
  if (launch.programmatic) {
    cudaLaunchAttribute& programmatic = attributes.emplace_back();
    programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    programmatic.val.programmaticStreamSerializationAllowed = 1;
  }
  if (launch.priority) {
    cudaLaunchAttribute& priority = attributes.emplace_back();
    priority.id = cudaLaunchAttributePriority;
    priority.val.priority = *launch.priority;
  }
  if (attributes.empty()) {
    static_cast<void>(cudaLaunchKernel(kernel_for(run, launch), dim3(launch.blocks), threads, arguments, shared_bytes, stream));
    return;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  check(cudaLaunchKernelExC(&config, kernel_for(run, launch), arguments), "launching a task");
}

cudaGraphNode_t add_task_node(cudaGraph_t graph, const StreamRun& run, const TaskLaunch& launch, std::span<const cudaGraphNode_t> after) {
  std::uint32_t task = launch.task;
  void* arguments[] = {const_cast<StreamRun*>(&run), &task};  // read, and copied, by the call below
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(kernel_for(run, launch));
  parameters.gridDim = dim3(launch.blocks);
  parameters.blockDim = dim3(static_cast<unsigned>(launch.block.threads));
  parameters.sharedMemBytes = static_cast<unsigned>(shared_bytes_of(launch.block));
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, after.data(), run.programmatic ? 0 : after.size(), &parameters), "adding a task to the graph");
  set_node_footprint(node, launch.block);
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

cudaGraphNode_t add_wide_stamp_node(cudaGraph_t graph, std::uint64_t* stamp, std::span<const cudaGraphNode_t> after) {
  StreamRun run{};
  std::uint32_t task = 0;
  void* arguments[] = {&run, &task, &stamp};
  return add_block_node(graph, reinterpret_cast<const void*>(stamp_beside), 1, arguments, after, "adding a stamp to the graph");
}

void add_origin_stamp_node(cudaGraph_t graph, std::uint64_t* origin) {
  void* arguments[] = {&origin};
  add_block_node(graph, reinterpret_cast<const void*>(stamp_origin), 1, arguments, {}, "adding a stamp to the graph");
}

}  // namespace tasktwin::gpu
