#include "gpu/peers/reading/reading_tasks.hpp"

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/peers/reading/peer_reading.cuh"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

namespace {

constexpr std::uint64_t kPiece = sizeof(uint4);

/// This block's part of each.
__device__ __forceinline__ void read_inputs(const PeerReadRows& rows, std::uint32_t task) {
  for (std::uint32_t i = rows.first[task]; i < rows.first[task + 1]; ++i) {
    const PeerRead read = rows.reads[i];
    const std::uint64_t share = (read.bytes / gridDim.x / kPiece + 1) * kPiece;
    const std::uint64_t begin = blockIdx.x * share;
    if (begin < read.bytes) read_bytes(read.from + begin, min(share, read.bytes - begin), static_cast<int>(blockDim.x));
  }
}

__global__ void __launch_bounds__(1024, 1)
    reading_task(const __grid_constant__ StreamRun run, const __grid_constant__ PeerReadRows rows, std::uint32_t task) {
  extern __shared__ __align__(128) std::byte scratch[];
  const DeviceTask mine = run.tasks[task];
  const std::uint64_t started = global_timer();
  if (run.done) check_predecessors(mine, run.predecessors, run.done, run.violations, blockDim.x);
  read_inputs(rows, task);
  __syncthreads();
  run_body_in_block(mine.body, run.bodies, scratch);
  __syncthreads();
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
  if (!run.done) return;
  if (gridDim.x > 1 && DeviceWord(run.blocks_ended[task]).fetch_add(1, kAcqRel) + 1 < gridDim.x) return;
  run.done[task] = 1;
}

}  // namespace

void prepare_reading_tasks() { allow_any_block(reinterpret_cast<const void*>(reading_task)); }

void launch_reading_task(const StreamRun& run, const PeerReadRows& rows, const TaskLaunch& launch, cudaStream_t stream) {
  std::uint32_t task = launch.task;
  void* arguments[] = {const_cast<StreamRun*>(&run), const_cast<PeerReadRows*>(&rows), &task};  // read, and copied, by the call below
  std::vector<cudaLaunchAttribute> attributes = footprint_attributes(launch.block);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = dim3(static_cast<unsigned>(launch.block.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.block.shared_memory);
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(reading_task), arguments), "launching a task");
}

cudaGraphNode_t add_reading_node(cudaGraph_t graph, const StreamRun& run, const PeerReadRows& rows, const TaskLaunch& launch,
                                 std::span<const cudaGraphNode_t> after) {
  std::uint32_t task = launch.task;
  void* arguments[] = {const_cast<StreamRun*>(&run), const_cast<PeerReadRows*>(&rows), &task};  // read, and copied, by the call below
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(reinterpret_cast<const void*>(reading_task));
  parameters.gridDim = dim3(launch.blocks);
  parameters.blockDim = dim3(static_cast<unsigned>(launch.block.threads));
  parameters.sharedMemBytes = static_cast<unsigned>(launch.block.shared_memory);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters), "adding a task to the graph");
  set_node_footprint(node, launch.block);
  return node;
}

}  // namespace tasktwin::gpu
