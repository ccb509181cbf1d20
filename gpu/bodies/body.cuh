#pragma once

#include <cstddef>

#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/body_thread.cuh"
#include "gpu/bodies/spin.cuh"
#include "gpu/bodies/task_descriptor.hpp"
#include "models/graph/kernel.hpp"
#ifdef TASKTWIN_OPEN_BODIES  // compiled for the link at run time, see gpu/own/
#include "gpu/bodies/open_bodies.cuh"
#else
#include "gpu/bodies/built_in_bodies.cuh"
#endif

namespace tasktwin::gpu {

/// What the shortest bodies need of their task.
struct BodyStart {
  std::uint32_t kernel;
  std::uint64_t spin_ns;
};

/// Whether one thread does all there is to do.
__device__ inline bool is_alone(const BodyStart& start) { return start.kernel <= static_cast<std::uint32_t>(Kernel::kSpin); }

/// The work of such a task, by the calling thread.
__device__ __forceinline__ void run_body_alone(const BodyStart& start, const BodyContext& context) {
  if (start.kernel == static_cast<std::uint32_t>(Kernel::kSpin)) spin_alone(start.spin_ns, context.scaled_cycles_per_ns);
}

/// Of the block's dynamic shared memory what is left for its body after what kernels that launch others keep in front.
__device__ inline std::size_t shared_bytes_for_body() {
  std::uint32_t bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes - kInFrontOfBody;
}

/// Does the work of `task`. `scratch` is shared memory of kBodySharedBytes, aligned to 128 bytes (what is copied there fills whole lines);
/// what it held is lost. Contract: called by threads threadIdx.x 0 to kBodyThreads − 1 of a block, together and with the same task; the
/// block's other warps leave named barrier 1 alone. The caller has made the predecessors' writes visible to these threads (an acquire that
/// also drops the L1 cache's contents), and synchronises them between two bodies. On return each thread has performed its own writes to
/// global memory, in no order among threads: to publish, synchronise the threads and then release.
__device__ __forceinline__ void run_body(const BodyStart& start, const TaskDescriptor& task, const BodyContext& context,
                                         std::byte* scratch) {
  const auto kernel = static_cast<Kernel>(start.kernel);
  if (kernel == Kernel::kEmpty) return;  // the shortest bodies do not wait for what the others read
  if (kernel == Kernel::kSpin) return spin(start.spin_ns, context.scaled_cycles_per_ns);

#if __CUDA_ARCH__ >= 900
  constexpr BodyBlock kBlock{};
#else  // where a block may have less than bodies can use
  const BodyBlock kBlock{kBodyThreads, shared_bytes_for_body()};
#endif
  run_listed_body(kernel, BodyCall(task, context, scratch, kBlock));
}

/// The same for kernels that run in any block (runs_in_any_block), called by all threads of one; `scratch` is all of its dynamic shared
/// memory.
__device__ __forceinline__ void run_body_in_block(const TaskDescriptor& task, const BodyContext& context, std::byte* scratch) {
  std::uint32_t shared_bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared_bytes));
  const auto kernel = static_cast<Kernel>(task.kernel);
  if (kernel == Kernel::kSpin) return spin(task.spin_ns, context.scaled_cycles_per_ns);
  run_listed_body_in_block(kernel, BodyCall(task, context, scratch, {static_cast<int>(blockDim.x), shared_bytes}));
}

__device__ __forceinline__ void run_body(const TaskDescriptor& task, const BodyContext& context, std::byte* scratch) {
  run_body({task.kernel, task.spin_ns}, task, context, scratch);
}

}  // namespace tasktwin::gpu
