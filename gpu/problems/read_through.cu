#include "gpu/problems/read_through.hpp"

#include <algorithm>

#include "gpu/bodies/body_thread.cuh"
#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {
namespace {

__global__ void read_pieces(const uint4* pieces, std::size_t count) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned folded = 0;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const uint4 piece = pieces[i];
    folded ^= piece.x ^ piece.y ^ piece.z ^ piece.w;
  }
  keep(folded);
}

}  // namespace

void read_through(const void* data, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  constexpr unsigned kThreads = 256;
  const std::size_t count = bytes / sizeof(uint4);
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>((count + kThreads - 1) / kThreads, 4096));
  read_pieces<<<blocks, kThreads, 0, stream>>>(static_cast<const uint4*>(data), count);
  check(cudaGetLastError(), "emptying the L2 cache");
}

}  // namespace tasktwin::gpu
