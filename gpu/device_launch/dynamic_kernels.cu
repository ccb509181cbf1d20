#include "gpu/device_launch/dynamic_kernels.hpp"

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/device_launch/launched_body.cuh"

namespace tasktwin::gpu {

namespace {

/// In place of a task: the roots are to be launched.
constexpr std::uint32_t kRoots = kNoTask - 1;

template <bool kAnyBlock>
__global__ void launched_task(const __grid_constant__ DynamicRun run, std::uint32_t first);

/// The tasks of one block that the device had no room for, last in first out; the links are in global memory.
struct KeptTasks {
  std::uint32_t first;

  /// Contract: no thread takes at that time.
  __device__ void keep(const DynamicRun& run, std::uint32_t task) {
    run.next[task] = atomicExch(&first, task);
    atomicAdd(&run.counts->kept, 1u);
  }

  /// One that there still is no room for; kNoTask if all others could be launched. One thread calls.
  template <bool kAnyBlock>
  __device__ std::uint32_t take(const DynamicRun& run);
};

/// What the threads of a block that launches tell each other.
struct LaunchingBlock {
  KeptTasks kept;
  std::uint32_t next;
  bool is_last;
};

/// What bodies may use comes last, so that a block can have less of it.
struct DynamicShared {
  LaunchingBlock launching;
  alignas(128) std::byte scratch[kBodySharedBytes];
};

/// Whether a launch that ended so may succeed later: there is no room for it among those that wait.
__device__ bool is_full(cudaError_t status) {
  return status == cudaErrorLaunchPendingCountExceeded || status == cudaErrorLaunchOutOfResources ||
         status == cudaErrorLaunchMaxDepthExceeded;
}

/// False if the device had no room for it.
template <bool kAnyBlock>
__device__ bool try_launch(const DynamicRun& run, std::uint32_t task) {
  if (run.run.tasks.stamped) run.run.tasks.phases[task].dispatched = global_timer();
  const std::uint32_t blocks = run.run.tasks.tasks[task].blocks;
  if constexpr (kAnyBlock) {
    const LaunchedBlock block = run.blocks[task];
    launched_task<true><<<blocks, block.threads, block.shared_bytes, cudaStreamFireAndForget>>>(run, task);
  } else {
    launched_task<false><<<blocks, kBodyThreads, run.whole_core_bytes, cudaStreamFireAndForget>>>(run, task);
  }
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return true;
  if (!is_full(status)) atomicCAS(&run.counts->failure, 0u, static_cast<std::uint32_t>(status));
  return false;
}

template <bool kAnyBlock>
__device__ std::uint32_t KeptTasks::take(const DynamicRun& run) {
  while (first != kNoTask) {
    const std::uint32_t task = first;
    first = run.next[task];
    if (!try_launch<kAnyBlock>(run, task)) return task;
  }
  return kNoTask;
}

/// A task, and those that its end makes ready: each is launched by the lane that found it ready. Where the device has no room for a
/// launch, the block keeps the task, tries again when it has nothing else to do, and then runs it by itself, with the threads and the
/// shared memory that it has: it never waits.
template <bool kAnyBlock, class Body>
__device__ __forceinline__ void run_launched(const DynamicRun& run, std::uint32_t first, LaunchingBlock& shared, const Body& body) {
  if (threadIdx.x == 0) shared.kept.first = kNoTask;
  __syncthreads();
  const auto launch = [&run, &shared](std::uint32_t task) {
    if (!try_launch<kAnyBlock>(run, task)) shared.kept.keep(run, task);
  };
  std::uint32_t block = blockIdx.x;
  bool by_itself = false;
  for (std::uint32_t task = first; task != kNoTask;) {
    if (task == kRoots) {
      for (std::uint32_t i = threadIdx.x; i < run.root_count; i += kBodyThreads) launch(run.roots[i]);
    } else {
      const DeviceTask mine = run.run.tasks.tasks[task];
      const bool last = run_block(run.run.tasks, mine, block, shared.is_last, body);
      if (last && threadIdx.x < 32) {
        release_successors(run.run, mine.edges, launch);
        if (run.run.tasks.stamped && mine.blocks <= 1 && threadIdx.x == 0) run.run.tasks.phases[task].published = global_timer();
      }
      if (by_itself && ++block < mine.blocks) {
        __syncthreads();
        continue;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) shared.next = shared.kept.take<kAnyBlock>(run);
    __syncthreads();
    task = shared.next;
    block = 0;
    by_itself = true;
  }
}

template <>
__global__ void __launch_bounds__(kBodyThreads, 1) launched_task<false>(const __grid_constant__ DynamicRun run, std::uint32_t first) {
  extern __shared__ __align__(128) std::byte memory[];
  auto& shared = *reinterpret_cast<DynamicShared*>(memory);
  run_launched<false>(run, first, shared.launching,
                      [&](const TaskDescriptor& body) { run_body(body, run.run.tasks.bodies, shared.scratch); });
}

template <>
__global__ void __launch_bounds__(1024, 2) launched_task<true>(const __grid_constant__ DynamicRun run, std::uint32_t first) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ BesideScratch<LaunchingBlock> launching;
  run_launched<true>(run, first, launching.value,
                     [&](const TaskDescriptor& body) { run_body_in_block(body, run.run.tasks.bodies, scratch); });
}

__global__ void empty_child() {}

__global__ void launch_empty_child(std::uint32_t shared_bytes, cudaError_t* status) {
  empty_child<<<1, kBodyThreads, shared_bytes, cudaStreamFireAndForget>>>();
  *status = cudaGetLastError();
}

std::uint32_t allow_shared_memory(const void* kernel) {
  return static_cast<std::uint32_t>(allow_shared_bytes(kernel, sizeof(DynamicShared)));
}

}  // namespace

std::uint32_t dynamic_shared_bytes() {
  static const std::uint32_t bytes = allow_shared_memory(reinterpret_cast<const void*>(launched_task<false>));
  return bytes;
}

void prepare_dynamic_kernels() {
  dynamic_shared_bytes();
  allow_any_block(reinterpret_cast<const void*>(launched_task<true>));
}

int dynamic_registers(bool whole_core) {
  return registers_of(whole_core ? reinterpret_cast<const void*>(launched_task<false>)
                                 : reinterpret_cast<const void*>(launched_task<true>));
}

void launch_roots(const DynamicRun& run, cudaStream_t stream) {
  if (run.blocks != nullptr) {
    launched_task<true><<<1, kBodyThreads, 0, stream>>>(run, kRoots);
  } else {
    launched_task<false><<<1, kBodyThreads, run.whole_core_bytes, stream>>>(run, kRoots);
  }
  check(cudaGetLastError(), "launching the first kernel");
}

cudaError_t probe_device_launch() {
  const std::uint32_t shared_bytes = allow_shared_memory(reinterpret_cast<const void*>(empty_child));
  const DeviceBuffer<cudaError_t> status(1, "a probe");
  launch_empty_child<<<1, 1>>>(shared_bytes, status.data());
  check(cudaGetLastError(), "launching a probe");
  check(cudaDeviceSynchronize(), "running a probe");
  return status.to_host("a probe").front();
}

}  // namespace tasktwin::gpu
