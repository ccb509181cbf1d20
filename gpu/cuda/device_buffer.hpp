#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

/// Device memory for `size` values of a trivially copyable T, from cudaMalloc; not initialised.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// `what` names the contents where memory runs out (RunError).
  DeviceBuffer(std::size_t size, const std::string& what) : size_(size) {
    if (size == 0) return;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()),
          "allocating " + std::to_string(bytes()) + " bytes of GPU memory for " + what);
  }
  /// Copies `values` to the device; they are there, for every stream, when this returns.
  DeviceBuffer(std::span<const T> values, const std::string& what) : DeviceBuffer(values.size(), what) {
    if (size_ == 0) return;
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "copying " + what + " to the GPU");
    check(cudaStreamSynchronize(nullptr), "copying " + what + " to the GPU");  // from pageable memory the copy may still be in flight
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Contract: the streams that write it are synchronised.
  std::vector<T> to_host(const std::string& what) const {
    std::vector<T> values(size_);
    if (size_ != 0) check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copying " + what + " from the GPU");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tasktwin::gpu
