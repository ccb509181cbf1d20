#include "gpu/operations/allocators/device_allocator.hpp"

#include "gpu/operations/allocators/caching_memory.hpp"
#include "gpu/operations/allocators/malloc_memory.hpp"
#include "gpu/operations/allocators/pool_memory.hpp"

namespace tasktwin::gpu {

std::unique_ptr<DeviceAllocator> make_allocator(const Design& design, const MemoryLimits& limits) {
  switch (design.allocator) {
    case Allocator::kMalloc:
      return std::make_unique<MallocMemory>(limits.page);
    case Allocator::kCaching:
      return std::make_unique<CachingMemory>();
    case Allocator::kPool:
      break;
  }
  return std::make_unique<PoolMemory>(design.release_threshold, design.pool_reuse);
}

}  // namespace tasktwin::gpu
