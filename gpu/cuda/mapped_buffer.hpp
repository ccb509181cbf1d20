#pragma once

#include <cstddef>
#include <string>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

/// Pinned host memory for `size` values of T that the device reads and writes in place; not initialised.
template <class T>
class MappedBuffer {
 public:
  /// `what` names the contents where memory runs out (RunError).
  MappedBuffer(std::size_t size, const std::string& what) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&data_), size * sizeof(T), cudaHostAllocMapped), "allocating mapped memory for " + what);
    check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_), data_, 0), "mapping host memory for " + what);
  }
  ~MappedBuffer() { static_cast<void>(cudaFreeHost(data_)); }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;

  T* host() const { return data_; }
  T* device() const { return device_; }

 private:
  T* data_ = nullptr;
  T* device_ = nullptr;
};

}  // namespace tasktwin::gpu
