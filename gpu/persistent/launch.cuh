#pragma once

#include "gpu/cuda_error.hpp"
#include "gpu/persistent/worker.cuh"

namespace tasktwin::gpu {

/// Launches `blocks` worker blocks that are all resident at once, or throws: a cooperative launch refuses what does not fit.
template <class... Parameters>
void launch_resident(void (*kernel)(Parameters...), std::uint32_t blocks, std::size_t shared_bytes, cudaStream_t stream,
                     std::type_identity_t<Parameters>... parameters) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)), "sizing shared memory");
  void* arguments[] = {&parameters...};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kWorkerThreads), arguments, shared_bytes,
                                    stream),
        "launching a persistent kernel");
}

}  // namespace tasktwin::gpu
