#pragma once

#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::gpu {

/// A stream by its number in the design's plan.
struct PlannedStream {
  std::uint32_t number = 0;
  cudaStream_t stream = nullptr;
};

/// Who gives out device memory during a run, as Design::allocator says; the host's calls that sim::Allocations simulates.
class DeviceAllocator {
 public:
  struct Usage {
    std::int64_t used = 0;      ///< bytes given out
    std::int64_t reserved = 0;  ///< bytes held of the device, the used ones included
  };

  virtual ~DeviceAllocator() = default;
  /// Null where the device lacks the memory; CUDA's error is then cleared. Throws RunError for any other.
  virtual void* allocate(std::int64_t bytes, const PlannedStream& stream) = 0;
  /// Contract: what allocate returned, once.
  virtual void free(void* memory, const PlannedStream& stream) = 0;
  virtual Usage usage() const = 0;
  /// Holds nothing of the device any more. Contract: the device is idle and all is freed.
  virtual void give_back() = 0;
};

/// A pool of its own, of the release threshold that the design says; cudaMalloc and cudaFree; or the host's cache of those. `page` is
/// Machine's. Throws RunError.
std::unique_ptr<DeviceAllocator> make_allocator(const Design& design, const MemoryLimits& limits);

}  // namespace tasktwin::gpu
