#pragma once

#include <cstddef>

#include "gpu/bodies/attention.cuh"
#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/body_thread.cuh"
#include "gpu/bodies/fma.cuh"
#include "gpu/bodies/potrf.cuh"
#include "gpu/bodies/projections.cuh"
#include "gpu/bodies/rms_norm.cuh"
#include "gpu/bodies/spin.cuh"
#include "gpu/bodies/stream.cuh"
#include "gpu/bodies/task_descriptor.hpp"
#include "gpu/bodies/tile_layout.hpp"
#include "gpu/bodies/tile_update.cuh"
#include "gpu/bodies/trsm.cuh"
#include "models/kernel.hpp"

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

  float* const shared = reinterpret_cast<float*>(scratch);
  const int first = task.args[0];
  const int second = task.args[1];
  const int third = task.args[2];
  const int fourth = task.args[3];
  const DecodeContext& decode = context.decode;
  const auto tile = [&](int row, int column) {
    return context.cholesky.tiles + cholesky_tile_index(row, column) * static_cast<std::size_t>(fourth * fourth);
  };
  switch (kernel) {
    case Kernel::kEmpty:
    case Kernel::kSpin:
      return;
    case Kernel::kFma:
      return fma(task.flops);
    case Kernel::kStream:
      return stream(task.stream_offset + blockIdx.x * task.stream_stride, task.bytes, context.stream_buffer, shared);
    case Kernel::kPotrf:
      return potrf(tile(third, third), fourth, shared);
    case Kernel::kTrsm:
      return trsm(tile(first, third), tile(third, third), fourth, shared);
    case Kernel::kSyrk:  // a gemm of which first is second
    case Kernel::kGemm:
      return update_tile(tile(first, second), tile(first, third), tile(second, third), fourth, shared);
    case Kernel::kRmsNorm:
      return rms_norm(decode, 2 * first + second, shared);
    case Kernel::kQkv:
      return project_qkv(decode, first, second, third, shared);
    case Kernel::kAttention:
      return attention(decode, first, second, third, fourth, shared);
    case Kernel::kAttentionMerge:
      return attention_merge(decode, second, third);
    case Kernel::kProject:
      return project_attended(decode, first, second, third, shared);
    case Kernel::kGateUp:
      return gate_up(decode, first, second, third, shared);
    case Kernel::kDown:
      return project_down(decode, first, second, third, shared);
    case Kernel::kHead:
      return project_head(decode, second, third, shared);
  }
}

__device__ __forceinline__ void run_body(const TaskDescriptor& task, const BodyContext& context, std::byte* scratch) {
  run_body({task.kernel, task.spin_ns}, task, context, scratch);
}

}  // namespace tasktwin::gpu
