#include "gpu/device_launch/graph_kernels.hpp"

#include <algorithm>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/device_launch/launched_body.cuh"

namespace tasktwin::gpu {

namespace {

constexpr std::uint32_t kMostLaunches = kMostGraphLaunches;

/// One batch, a block a task; blocks beyond it end at once.
template <class Body>
__device__ __forceinline__ void run_batch(const GraphRun& run, std::uint32_t slot, bool& is_last, const Body& body) {
  const std::uint32_t task = run.batches[slot * run.batch + blockIdx.x];
  if (task != kNoTask) {
    const DeviceTask mine = run.run.tasks.tasks[task];
    run_block(run.run.tasks, mine, 0, is_last, body);
    if (threadIdx.x < 32) {
      release_successors(run.run, mine.edges, [&run](std::uint32_t successor) {
        const std::uint32_t at = run.root_count + DeviceWord(run.state->pushed).fetch_add(1, kRelaxed);
        DeviceWord(run.ready[at]).store(1 + successor, kRelease);
      });
      if (run.run.tasks.stamped && threadIdx.x == 0) run.run.tasks.phases[task].published = global_timer();
    }
  }
  if (threadIdx.x == 0) DeviceWord(run.blocks_left[slot]).fetch_sub(1, kRelease);
}

__global__ void __launch_bounds__(kBodyThreads, 1) launched_batch(const __grid_constant__ GraphRun run, std::uint32_t slot) {
  extern __shared__ __align__(128) std::byte memory[];
  auto& shared = *reinterpret_cast<LaunchedShared*>(memory);
  run_batch(run, slot, shared.is_last, [&](const TaskDescriptor& body) { run_body(body, run.run.tasks.bodies, shared.scratch); });
}

__global__ void __launch_bounds__(1024, 2) launched_batch_in_any_block(const __grid_constant__ GraphRun run, std::uint32_t slot) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ BesideScratch<bool> is_last;
  run_batch(run, slot, is_last.value, [&](const TaskDescriptor& body) { run_body_in_block(body, run.run.tasks.bodies, scratch); });
}

/// One warp: finds ready tasks in the order in which they became ready and launches a graph for each batch of them. An execution of it
/// launches at most kMostLaunches graphs; then it launches itself after them, or leaves that to the host.
class Scheduler {
 public:
  __device__ explicit Scheduler(const GraphRun& run)
      : run_(run), taken_(run.state->launched), graphs_(run.state->graphs), first_(graphs_) {}

  __device__ void loop() {
    while (taken_ < run_.task_count) {
      const bool tail = run_.mode == LaunchMode::kTail;
      const bool spent = graphs_ - first_ == kMostLaunches;
      std::uint32_t entry = 0;
      const std::uint32_t count = spent ? 0 : find_ready(entry);
      if (count > 0) {
        if (!launch_batch(count, entry)) return;
      } else if (spent || (tail && graphs_ != first_)) {
        return run_again();
      } else if (aborted()) {
        return;
      }
    }
    leave();
  }

  /// Whatever the mode: siblings would outlast the execution that the host waits for.
  __device__ void time_launches() {
    if (lane_id() != 0) return;
    const std::uint64_t begin = global_timer();
    for (std::uint32_t slot = 0; slot < kMostLaunches; ++slot) {
      const cudaError_t status = cudaGraphLaunch(run_.slots[slot], cudaStreamGraphFireAndForget);
      if (status != cudaSuccess) fail(status);
    }
    run_.state->launch_ns = static_cast<std::uint32_t>(global_timer() - begin);
  }

 private:
  /// How many of the next tasks are ready, up to a claim, of which this lane gets the first 32; others are read where they are needed.
  __device__ std::uint32_t find_ready(std::uint32_t& entry) const {
    const std::uint32_t most = rules::next_batch(run_.claim, run_.task_count - taken_, run_.batch);
    std::uint32_t found = 0;
    while (found < most) {
      const std::uint32_t at = taken_ + found + lane_id();
      const std::uint32_t word = at < run_.task_count && found + lane_id() < most ? DeviceWord(run_.ready[at]).load(kAcquire) : 0;
      const std::uint32_t here = __ballot_sync(kAllLanes, word != 0);
      if (found == 0) entry = word;
      const std::uint32_t prefix = here == kAllLanes ? 32 : static_cast<std::uint32_t>(__ffs(static_cast<int>(~here))) - 1;
      found += prefix;
      if (prefix < 32) break;
    }
    return found;
  }

  /// False where the launch failed, or the run has been called off.
  __device__ bool launch_batch(std::uint32_t count, std::uint32_t entry) {
    const std::uint32_t slot = graphs_ % kMostLaunches;
    if (!await_slot(slot)) return false;
    const std::uint64_t begin = global_timer();
    for (std::uint32_t i = lane_id(); i < run_.batch; i += 32) {
      std::uint32_t task = kNoTask;
      if (i < count) task = (i < 32 ? entry : DeviceWord(run_.ready[taken_ + i]).load(kAcquire)) - 1;
      run_.batches[slot * run_.batch + i] = task;
      if (run_.run.tasks.stamped && task != kNoTask) run_.run.tasks.phases[task].dispatched = begin;
    }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    __syncwarp();
    cudaError_t status = cudaSuccess;
    if (lane_id() == 0) {
      DeviceWord(run_.blocks_left[slot]).store(run_.batch, kRelaxed);
      __threadfence();
      status = launch(slot);
      if (run_.spans) run_.spans[graphs_] = {begin, global_timer()};
    }
    status = static_cast<cudaError_t>(__shfl_sync(kAllLanes, static_cast<int>(status), 0));
    if (status != cudaSuccess) return fail(status);
    taken_ += count;
    ++graphs_;
    return true;
  }

  /// A graph that still runs cannot be launched again, and says so; its last block may have ended a moment before it does.
  __device__ cudaError_t launch(std::uint32_t slot) const {
    const cudaStream_t stream = run_.mode == LaunchMode::kTail      ? cudaStreamGraphTailLaunch
                                : run_.mode == LaunchMode::kSibling ? cudaStreamGraphFireAndForgetAsSibling
                                                                    : cudaStreamGraphFireAndForget;
    constexpr std::uint64_t kPatienceNs = 100'000;
    const std::uint64_t begin = global_timer();
    for (;;) {
      const cudaError_t status = cudaGraphLaunch(run_.slots[slot], stream);
      const bool may_still_run = status == cudaErrorInvalidValue && graphs_ >= kMostLaunches;
      if (!may_still_run || global_timer() - begin > kPatienceNs) return status;
    }
  }

  /// Waits until the slot's last batch is done; false if the run has been called off.
  __device__ bool await_slot(std::uint32_t slot) const {
    while (__shfl_sync(kAllLanes, DeviceWord(run_.blocks_left[slot]).load(kAcquire), 0) != 0) {
      if (aborted()) return false;
    }
    return true;
  }

  __device__ bool aborted() const { return __any_sync(kAllLanes, DeviceWord(run_.state->abort).load(kRelaxed) != 0); }

  __device__ void run_again() {
    leave();
    if (run_.mode == LaunchMode::kSibling) return;
    cudaError_t status = cudaSuccess;
    if (lane_id() == 0) status = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
    if (lane_id() == 0 && status != cudaSuccess) fail(status);
  }

  __device__ bool fail(cudaError_t status) const {
    if (lane_id() == 0) run_.state->failure = static_cast<std::uint32_t>(status);
    return false;
  }

  __device__ void leave() const {
    if (lane_id() != 0) return;
    run_.state->launched = taken_;
    run_.state->graphs = graphs_;
    __threadfence();
  }

  const GraphRun& run_;
  std::uint32_t taken_;   ///< tasks from the ready ring
  std::uint32_t graphs_;  ///< launched
  std::uint32_t first_;   ///< of this execution
};

__global__ void __launch_bounds__(32, 1) scheduler(const __grid_constant__ GraphRun run) {
  Scheduler self(run);
  run.state->is_timed ? self.time_launches() : self.loop();
}

cudaGraphNode_t add_node(const CudaGraph& graph, const void* kernel, unsigned blocks, unsigned threads, std::size_t shared_bytes,
                         void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(kernel);
  parameters.gridDim = dim3(blocks);
  parameters.blockDim = dim3(threads);
  parameters.sharedMemBytes = static_cast<unsigned>(shared_bytes);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), "adding a kernel to a graph for the device");
  return node;
}

const void* kernel_for(bool whole_core) {
  return whole_core ? reinterpret_cast<const void*>(launched_batch) : reinterpret_cast<const void*>(launched_batch_in_any_block);
}

std::size_t whole_core_bytes() {
  static const std::size_t bytes = std::min(sizeof(LaunchedShared), most_shared_bytes(kernel_for(true)));
  return bytes;
}

}  // namespace

void prepare_graph_kernels() {
  allow_shared_bytes(kernel_for(true), sizeof(LaunchedShared));
  allow_any_block(kernel_for(false));
}

int batch_registers(bool whole_core) { return registers_of(kernel_for(whole_core)); }

void add_batch_node(const CudaGraph& graph, const GraphRun& run, const Footprint& block, std::uint32_t slot) {
  void* arguments[] = {const_cast<GraphRun*>(&run), &slot};  // read, and copied, by the call below
  const std::size_t shared_bytes = block.whole_core ? whole_core_bytes() : static_cast<std::size_t>(block.shared_memory);
  set_node_footprint(
      add_node(graph, kernel_for(block.whole_core), run.batch, static_cast<unsigned>(block.threads), shared_bytes, arguments), block);
}

void add_scheduler_node(const CudaGraph& graph, const GraphRun& run) {
  void* arguments[] = {const_cast<GraphRun*>(&run)};
  add_node(graph, reinterpret_cast<const void*>(scheduler), 1, 32, 0, arguments);
}

}  // namespace tasktwin::gpu
