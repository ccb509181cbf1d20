#pragma once

#include <unordered_map>

#include "gpu/operations/allocators/cuda_memory.hpp"
#include "gpu/operations/allocators/device_allocator.hpp"
#include "gpu/operations/allocators/live_pages.hpp"

namespace tasktwin::gpu {

/// cudaMalloc and cudaFree. What the device reserves is not asked of the driver, which would take longer than the calls themselves: it is
/// the machine's pages that the addresses lie in. Bytes used are in units of 256 B, the alignment that CUDA guarantees.
class MallocMemory final : public DeviceAllocator {
 public:
  /// Bytes of a page.
  explicit MallocMemory(std::int64_t page) : pages_(page) {}
  ~MallocMemory() override {
    for (const auto& [memory, bytes] : live_) static_cast<void>(cudaFree(memory));
  }

  void* allocate(std::int64_t bytes, const PlannedStream& /*stream*/) override {
    void* const memory = device_malloc(bytes);
    if (memory == nullptr) return nullptr;
    const std::int64_t rounded = (bytes + kUnit - 1) / kUnit * kUnit;
    live_.emplace(memory, rounded);
    pages_.add(address_of(memory), rounded);
    used_ += rounded;
    return memory;
  }
  void free(void* memory, const PlannedStream& /*stream*/) override {
    check(cudaFree(memory), "freeing GPU memory");
    const auto found = live_.find(memory);
    pages_.remove(address_of(memory), found->second);
    used_ -= found->second;
    live_.erase(found);
  }
  Usage usage() const override { return {used_, pages_.bytes()}; }
  void give_back() override {}

 private:
  static constexpr std::int64_t kUnit = 256;

  std::unordered_map<void*, std::int64_t> live_;
  LivePages pages_;
  std::int64_t used_ = 0;
};

}  // namespace tasktwin::gpu
