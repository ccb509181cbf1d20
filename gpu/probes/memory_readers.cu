#include "gpu/probes/memory_readers.hpp"

#include <algorithm>

#include "gpu/bodies/stream.cuh"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/persistent/launch/launch.cuh"

namespace tasktwin::gpu {

namespace {

constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;  // that each one reads
constexpr std::uint64_t kStaysNs = 20'000;                // of a block, so that none takes another's place
constexpr const char* kPurpose = "a probe of the memory";

__global__ void note_place(std::uint32_t* places) {
  if (threadIdx.x == 0) places[blockIdx.x] = multiprocessor();
  for (const std::uint64_t begin = global_timer(); global_timer() - begin < kStaysNs;) {
  }
}

/// On the multiprocessors that are to: all of a cooperative grid begin together.
__global__ void __launch_bounds__(kBodyThreads, 1)
    read_on(const std::uint8_t* reads, const void* buffer, std::uint32_t* arrived, std::uint64_t* took) {
  extern __shared__ __align__(128) float ring[];
  if (threadIdx.x == 0) {
    DeviceWord(*arrived).fetch_add(1, kAcqRel);
    while (DeviceWord(*arrived).load(kAcquire) < gridDim.x) {
    }
  }
  __syncthreads();
  const std::uint32_t self = multiprocessor();
  if (!reads[self]) return;
  const std::uint64_t begin = global_timer();
  stream(self * kBytes, kBytes, buffer, ring, BodyBlock{});
  __syncthreads();
  if (threadIdx.x == 0) took[self] = global_timer() - begin;
}

}  // namespace

MemoryReaders::MemoryReaders()
    : count_(multiprocessor_count()),
      places_(count_, kPurpose),
      took_(count_, kPurpose),
      reads_(count_, kPurpose),
      arrived_(1, kPurpose),
      buffer_(kStreamBufferBytes, kPurpose) {
  allow_shared_bytes(reinterpret_cast<const void*>(note_place), kBodySharedBytes);
  check(cudaFuncSetAttribute(note_place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "allowing clusters of 16");
  check(cudaMemset(buffer_.data(), 0, buffer_.bytes()), "clearing memory");
}

Multiprocessors MemoryReaders::places(std::uint32_t blocks, std::uint32_t cluster) const {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = kBodyThreads;
  config.dynamicSmemBytes = std::min(kBodySharedBytes, most_shared_bytes(reinterpret_cast<const void*>(note_place)));
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, note_place, places_.data()), "launching clusters");
  std::vector<std::uint32_t> places = places_.to_host(kPurpose);
  places.resize(blocks);
  return places;
}

std::vector<double> MemoryReaders::rates(const Multiprocessors& set) const {
  std::vector<std::uint8_t> reads(count_, 0);
  for (const std::uint32_t one : set) reads[one] = 1;
  check(cudaMemcpy(reads_.data(), reads.data(), count_, cudaMemcpyHostToDevice), "copying to the GPU");
  std::vector<std::vector<double>> seen(set.size());
  for (int repeat = 0; repeat < 3; ++repeat) {
    check(cudaMemset(arrived_.data(), 0, arrived_.bytes()), "clearing memory");
    launch_resident(read_on, {count_, kBodyThreads, kBodySharedBytes}, nullptr, reads_.data(), buffer_.data(), arrived_.data(),
                    took_.data());
    const std::vector<std::uint64_t> took = took_.to_host(kPurpose);
    for (std::size_t i = 0; i < set.size(); ++i) seen[i].push_back(static_cast<double>(kBytes) / static_cast<double>(took[set[i]]));
  }
  std::vector<double> medians;
  for (std::vector<double>& rates : seen) {
    std::ranges::sort(rates);
    medians.push_back(rates[1]);
  }
  return medians;
}

}  // namespace tasktwin::gpu
