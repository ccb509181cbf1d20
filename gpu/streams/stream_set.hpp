#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "gpu/cuda/green_context.hpp"
#include "models/design/axes.hpp"

namespace tasktwin::gpu {

/// The streams of a design. Under default_stream `none` none of them waits for a default stream; else stream 0 is the default
/// stream and the others are such that the legacy one is a barrier to them. Under a partition or sets each is in a share of the SMs.
class StreamSet {
 public:
  StreamSet(std::uint32_t count, DefaultStream default_stream);
  /// As many as `shares`, each in the share of the SMs stated.
  StreamSet(std::unique_ptr<SmPartition> partition, const std::vector<int>& shares);
  ~StreamSet();
  StreamSet(const StreamSet&) = delete;
  StreamSet& operator=(const StreamSet&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(streams_.size()); }
  cudaStream_t operator[](std::uint32_t stream) const { return streams_[stream]; }
  cudaStream_t front() const { return streams_.front(); }

 private:
  std::unique_ptr<SmPartition> partition_;
  std::vector<cudaStream_t> streams_;
  std::uint32_t borrowed_ = 0;  ///< streams at the front that are not ours to destroy
};

}  // namespace tasktwin::gpu
