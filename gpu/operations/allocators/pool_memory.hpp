#pragma once

#include "gpu/operations/allocators/device_allocator.hpp"

namespace tasktwin::gpu {

/// cudaMallocFromPoolAsync and cudaFreeAsync on a pool of its own on the current device. Memory freed in one stream goes to another only
/// once the free has passed: the pool makes no stream wait for another, and follows no events, as the simulator's
/// (models/memory/pool.hpp); under PoolReuse::kOwnStream not even then. What is used and reserved are the driver's own counters.
class PoolMemory final : public DeviceAllocator {
 public:
  explicit PoolMemory(ReleaseThreshold threshold, PoolReuse reuse = PoolReuse::kPassed);

  void* allocate(std::int64_t bytes, const PlannedStream& stream) override;
  void free(void* memory, const PlannedStream& stream) override;
  Usage usage() const override;
  void give_back() override;

 private:
  struct Pool {
    Pool() = default;
    ~Pool() {
      if (handle) static_cast<void>(cudaMemPoolDestroy(handle));
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    cudaMemPool_t handle = nullptr;
  };

  void set(cudaMemPoolAttr attribute, int value);
  std::int64_t get(cudaMemPoolAttr attribute) const;

  Pool pool_;
};

}  // namespace tasktwin::gpu
