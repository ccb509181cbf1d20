#pragma once

#include "gpu/bodies/body.cuh"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// The calling block's number among those of PersistentRun::blocks; one that is not among them is to leave. Contract: no two blocks share a
/// multiprocessor, as launch_resident() sees to. Where each multiprocessor has one block, that has its number: blocks in the grid's own
/// order fill one GPC after the other, whose connection to memory two of them share out (33 blocks that read got 78 GB/s each on an H200,
/// and 127 by this order).
__device__ inline std::uint32_t block_number() { return gridDim.x == multiprocessor_numbers() ? multiprocessor() : blockIdx.x; }

/// The calling block's number among the run's workers (PersistentRun::blocks); one that is not among them is to leave. The whole block
/// calls it. Of several workers a multiprocessor, the k-th that is placed on one has k · cores + the multiprocessor's number: as many
/// stand on each as are to (launch_beside()). Where multiprocessors are not numbered in a row, workers have the grid's order.
template <int kPerCore>
__device__ __forceinline__ std::uint32_t worker_number(const PersistentRun& run) {
  if constexpr (kPerCore == 1) {
    return block_number();
  } else {
    __shared__ std::uint32_t number;
    if (threadIdx.x == 0) {
      const std::uint32_t core = multiprocessor();
      if (gridDim.x != multiprocessor_numbers() * run.seats.per_core) {
        number = blockIdx.x;
      } else if (core < run.seats.cores) {
        number = DeviceWord(run.seats.taken[core]).fetch_add(1, kRelaxed) * run.seats.cores + core;
      } else {
        number = run.blocks;
      }
    }
    __syncthreads();
    return number;
  }
}

/// run_body() by a worker of that many a multiprocessor. One that has others next to it runs kernels that run in any block alone
/// (why_no_body_beside), compiled for a quarter of the registers, so that four fit.
template <int kPerCore>
__device__ __forceinline__ void run_worker_body(const TaskDescriptor& task, const BodyContext& context, std::byte* scratch) {
  if constexpr (kPerCore == 1) {
    run_body(task, context, scratch);
  } else {
    std::uint32_t shared_bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared_bytes));
    const auto kernel = static_cast<Kernel>(task.kernel);
    if (kernel == Kernel::kSpin) return spin(task.spin_ns, context.scaled_cycles_per_ns);
    run_listed_body_in_block(kernel, BodyCall(task, context, scratch, {kBodyThreads, shared_bytes}));
  }
}

}  // namespace tasktwin::gpu
