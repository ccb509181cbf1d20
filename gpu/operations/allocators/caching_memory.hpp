#pragma once

#include "gpu/operations/allocators/cuda_memory.hpp"
#include "gpu/operations/allocators/device_allocator.hpp"
#include "models/memory/caching_allocator.hpp"

namespace tasktwin::gpu {

/// The host's cache: the very allocator that the simulator runs, over segments from cudaMalloc.
class CachingMemory final : public DeviceAllocator {
 public:
  CachingMemory() = default;
  ~CachingMemory() override {
    for (const auto& [address, block] : cache_.segments().blocks()) {
      if (address == block.segment) static_cast<void>(cudaFree(memory_at(address)));
    }
  }
  CachingMemory(const CachingMemory&) = delete;
  CachingMemory& operator=(const CachingMemory&) = delete;

  void* allocate(std::int64_t bytes, const PlannedStream& stream) override {
    const auto grant = cache_.allocate(stream.number, bytes);
    return grant ? memory_at(grant->address) : nullptr;
  }
  void free(void* memory, const PlannedStream& /*stream*/) override { cache_.free(address_of(memory)); }
  Usage usage() const override { return {cache_.used(), cache_.reserved()}; }
  void give_back() override { cache_.empty(); }

 private:
  class Device final : public MemorySource {
   public:
    std::optional<std::uint64_t> allocate(std::int64_t bytes) override {
      void* const memory = device_malloc(bytes);
      return memory == nullptr ? std::nullopt : std::optional(address_of(memory));
    }
    void release(std::uint64_t address, std::int64_t /*bytes*/) override { check(cudaFree(memory_at(address)), "freeing GPU memory"); }
  };

  Device device_;
  CachingAllocator cache_{device_};
};

}  // namespace tasktwin::gpu
