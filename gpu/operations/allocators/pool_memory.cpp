#include "gpu/operations/allocators/pool_memory.hpp"

#include <limits>

#include "gpu/operations/allocators/cuda_memory.hpp"

namespace tasktwin::gpu {

PoolMemory::PoolMemory(ReleaseThreshold threshold, PoolReuse reuse) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  check(cudaGetDevice(&properties.location.id), "asking for the GPU's number");
  check(cudaMemPoolCreate(&pool_.handle, &properties), "creating a memory pool");
  set(cudaMemPoolReuseFollowEventDependencies, 0);
  set(cudaMemPoolReuseAllowOpportunistic, reuse == PoolReuse::kPassed ? 1 : 0);
  set(cudaMemPoolReuseAllowInternalDependencies, 0);
  std::uint64_t kept = threshold == ReleaseThreshold::kMax ? std::numeric_limits<std::uint64_t>::max() : 0;
  check(cudaMemPoolSetAttribute(pool_.handle, cudaMemPoolAttrReleaseThreshold, &kept), "setting the pool's release threshold");
}

void PoolMemory::set(cudaMemPoolAttr attribute, int value) {
  check(cudaMemPoolSetAttribute(pool_.handle, attribute, &value), "setting what the pool reuses");
}

std::int64_t PoolMemory::get(cudaMemPoolAttr attribute) const {
  std::uint64_t value = 0;
  check(cudaMemPoolGetAttribute(pool_.handle, attribute, &value), "asking for the pool's memory");
  return static_cast<std::int64_t>(value);
}

void* PoolMemory::allocate(std::int64_t bytes, const PlannedStream& stream) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(bytes), pool_.handle, stream.stream);
  return had_memory(status, "allocating from the pool") ? memory : nullptr;
}

void PoolMemory::free(void* memory, const PlannedStream& stream) { check(cudaFreeAsync(memory, stream.stream), "freeing to the pool"); }

DeviceAllocator::Usage PoolMemory::usage() const { return {get(cudaMemPoolAttrUsedMemCurrent), get(cudaMemPoolAttrReservedMemCurrent)}; }

void PoolMemory::give_back() { check(cudaMemPoolTrimTo(pool_.handle, 0), "trimming the pool"); }

}  // namespace tasktwin::gpu
