#pragma once

#include <atomic>
#include <cstdint>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

/// A 64-bit word of pinned host memory that the device can write while the host watches it.
class MappedWord {
 public:
  MappedWord() {
    check(cudaHostAlloc(reinterpret_cast<void**>(&word_), sizeof *word_, cudaHostAllocMapped), "allocating mapped memory");
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_), word_, 0), "mapping host memory");
  }
  ~MappedWord() { cudaFreeHost(word_); }
  MappedWord(const MappedWord&) = delete;
  MappedWord& operator=(const MappedWord&) = delete;

  std::uint64_t read() const { return std::atomic_ref(*word_).load(std::memory_order_acquire); }
  void write(std::uint64_t value) { std::atomic_ref(*word_).store(value, std::memory_order_release); }
  std::uint64_t* device_address() const { return device_; }
  const std::uint64_t& host_word() const { return *word_; }  ///< to be read as an atomic word

 private:
  std::uint64_t* word_ = nullptr;
  std::uint64_t* device_ = nullptr;
};

}  // namespace tasktwin::gpu
