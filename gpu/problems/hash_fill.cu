#include "gpu/problems/hash_fill.hpp"

#include <algorithm>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {
namespace {

__global__ void fill(Bf16* values, std::size_t count, HashedTensor tensor, float scale) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    values[i] = hashed_bf16(tensor, i, scale);
  }
}

}  // namespace

void fill_hashed(Bf16* values, std::size_t count, HashedTensor tensor, float scale, cudaStream_t stream) {
  if (count == 0) return;
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>((count + kThreads - 1) / kThreads, 4096));
  fill<<<blocks, kThreads, 0, stream>>>(values, count, tensor, scale);
  check(cudaGetLastError(), "generating weights");
}

}  // namespace tasktwin::gpu
