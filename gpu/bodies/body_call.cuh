#pragma once

#include <cstddef>

#include "gpu/bodies/body_context.hpp"
#include "gpu/bodies/task_descriptor.hpp"
#include "gpu/bodies/tile_layout.hpp"
#include "models/graph/kernel.hpp"

namespace tasktwin::gpu {

/// What a body is called with. The arguments (models/graph/kernel.hpp) are read before it is chosen.
struct BodyCall {
  const TaskDescriptor& task;
  const BodyContext& context;
  std::byte* scratch;  ///< the block's shared memory, aligned to 128 bytes
  BodyBlock block;
  int first;
  int second;
  int third;
  int fourth;

  __device__ BodyCall(const TaskDescriptor& of, const BodyContext& in, std::byte* shared_bytes, BodyBlock with)
      : task(of),
        context(in),
        scratch(shared_bytes),
        block(with),
        first(of.args[0]),
        second(of.args[1]),
        third(of.args[2]),
        fourth(of.args[3]) {}

  __device__ float* shared() const { return reinterpret_cast<float*>(scratch); }
  /// Of a Cholesky factorisation, whose kernels' last argument is the tiles' size.
  __device__ float* tile(int row, int column) const {
    return context.cholesky.tiles + cholesky_tile_index(row, column) * static_cast<std::size_t>(fourth * fourth);
  }
};

/// Runs the one of Bodies that is of `kernel`; false if none is. A body is a class next to the functions that it calls:
///   bool is_of(Kernel)       whether it does what that kernel is for
///   void run(const BodyCall&)
template <class... Bodies>
__device__ __forceinline__ bool run_one_of(Kernel kernel, const BodyCall& call) {
  return ((Bodies::is_of(kernel) && (Bodies::run(call), true)) || ...);
}

}  // namespace tasktwin::gpu
