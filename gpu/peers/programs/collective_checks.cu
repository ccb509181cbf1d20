#include "gpu/peers/programs/collective_checks.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 64;

__device__ std::uint64_t first_word() { return std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; }

__global__ void fill(CollectiveNumbers numbers, int rank, float* give, float* take) {
  for (std::uint64_t at = first_word(); at < numbers.gives(); at += kBlocks * kThreads) give[at] = numbers.given(rank, at);
  for (std::uint64_t at = first_word(); at < numbers.takes(rank); at += kBlocks * kThreads) take[at] = -1;
}

__global__ void check_taken(CollectiveNumbers numbers, int rank, const float* take, std::uint32_t* violations) {
  bool wrong = false;
  for (std::uint64_t at = first_word(); at < numbers.takes(rank); at += kBlocks * kThreads) wrong |= take[at] != numbers.taken(rank, at);
  if (__syncthreads_or(wrong) != 0 && threadIdx.x == 0) atomicAdd(violations, 1u);
}

}  // namespace

void launch_collective_fill(const CollectiveNumbers& numbers, int rank, float* give, float* take, cudaStream_t stream) {
  fill<<<kBlocks, kThreads, 0, stream>>>(numbers, rank, give, take);
}

void launch_collective_check(const CollectiveNumbers& numbers, int rank, const float* take, std::uint32_t* violations,
                             cudaStream_t stream) {
  check_taken<<<kBlocks, kThreads, 0, stream>>>(numbers, rank, take, violations);
}

}  // namespace tasktwin::gpu
