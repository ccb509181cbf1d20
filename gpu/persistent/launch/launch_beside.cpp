#include "gpu/persistent/launch/launch_beside.hpp"

#include <algorithm>
#include <string>

#include "gpu/cuda/cuda_error.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kLine = 128;

std::size_t attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&value, which, device), "asking for the GPU's properties");
  return static_cast<std::size_t>(value);
}

/// Of a multiprocessor's shared memory, less what each block has in addition; whole lines.
std::size_t equal_part(const cudaFuncAttributes& kernel, std::uint32_t blocks) {
  const std::size_t part = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks;
  const std::size_t besides = attribute(cudaDevAttrReservedSharedMemoryPerBlock) + kernel.sharedSizeBytes;
  return part < besides ? 0 : (part - besides) / kLine * kLine;
}

[[noreturn]] void refuse(const cudaFuncAttributes& kernel, const BlocksBeside& blocks, std::size_t shared_bytes, int fit) {
  const auto each = [](std::size_t of_block, std::size_t n, cudaDeviceAttr most) {
    return std::to_string(n * of_block) + " of " + std::to_string(attribute(most));
  };
  const std::size_t n = blocks.per_multiprocessor;
  const auto threads = static_cast<std::size_t>(blocks.threads);
  const std::size_t shared = shared_bytes + kernel.sharedSizeBytes + attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  throw InputError("workers_per_core " + std::to_string(n) + ": so many workers' blocks need " +
                   each(threads, n, cudaDevAttrMaxThreadsPerMultiProcessor) + " threads, " +
                   each(threads * static_cast<std::size_t>(kernel.numRegs), n, cudaDevAttrMaxRegistersPerMultiprocessor) +
                   " registers and " + each(shared, n, cudaDevAttrMaxSharedMemoryPerMultiprocessor) +
                   " bytes of shared memory that a multiprocessor has, which has room for " + std::to_string(fit) +
                   " of them; use fewer workers");
}

}  // namespace

void launch_beside(const void* kernel, const BlocksBeside& blocks, cudaStream_t stream, void** arguments) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "asking for a kernel's properties");
  const std::size_t shared_bytes = std::max(equal_part(attributes, blocks.per_multiprocessor), blocks.needed_shared);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)), "sizing shared memory");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "dividing shared memory and cache");
  int fit = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, blocks.threads, shared_bytes), "asking how many workers find room");
  if (fit < static_cast<int>(blocks.per_multiprocessor)) refuse(attributes, blocks, shared_bytes, fit);
  check(cudaLaunchCooperativeKernel(kernel, dim3(blocks.per_multiprocessor * blocks.multiprocessors),
                                    dim3(static_cast<unsigned>(blocks.threads)), arguments, shared_bytes, stream),
        "launching a persistent kernel");
}

}  // namespace tasktwin::gpu
