#pragma once

#include "gpu/bodies/fma.cuh"
#include "gpu/bodies/stream.cuh"

/// The body of a scenario's own kernel, linked in at run time (gpu/own/linked_kernels.hpp). `words`: the number of the task's blocks, and
/// after it the arguments.
extern "C" __device__ void tasktwin_body(unsigned kernel, const unsigned* words, unsigned index, unsigned char* shared);

namespace tasktwin::gpu {

/// Bodies where a scenario's own are linked in: those that run in any block, and these.
__device__ __forceinline__ void run_listed_body_in_block(Kernel kernel, const BodyCall& call) {
  if (kernel == Kernel::kEmpty || run_one_of<FmaBody, StreamBody>(kernel, call)) return;
  const auto* const words = reinterpret_cast<const unsigned*>(&call.task.spin_ns);
  tasktwin_body(static_cast<unsigned>(kernel), words, words[0] > 1 ? blockIdx.x : 0, reinterpret_cast<unsigned char*>(call.scratch));
}

__device__ __forceinline__ void run_listed_body(Kernel kernel, const BodyCall& call) { run_listed_body_in_block(kernel, call); }

}  // namespace tasktwin::gpu
