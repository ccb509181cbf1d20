#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cuda/device_buffer.hpp"

namespace tasktwin::gpu {

using Multiprocessors = std::vector<std::uint32_t>;

/// Multiprocessors that read memory together, and where blocks are placed. Contract: there is a GPU, and nothing else runs on it.
class MemoryReaders {
 public:
  MemoryReaders();

  std::uint32_t count() const { return count_; }

  /// Where the blocks of a kernel go, clusters of `cluster` of them.
  Multiprocessors places(std::uint32_t blocks, std::uint32_t cluster) const;

  /// Bytes/ns of each, in the order of `set`, while all of it read: medians of three.
  std::vector<double> rates(const Multiprocessors& set) const;

 private:
  std::uint32_t count_;
  DeviceBuffer<std::uint32_t> places_;
  DeviceBuffer<std::uint64_t> took_;
  DeviceBuffer<std::uint8_t> reads_;
  DeviceBuffer<std::uint32_t> arrived_;
  DeviceBuffer<std::byte> buffer_;
};

}  // namespace tasktwin::gpu
