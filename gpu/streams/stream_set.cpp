#include "gpu/streams/stream_set.hpp"

#include <utility>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

StreamSet::StreamSet(std::uint32_t count, DefaultStream default_stream) {
  const unsigned flags = default_stream == DefaultStream::kNone ? cudaStreamNonBlocking : cudaStreamDefault;
  streams_.reserve(count);
  if (default_stream != DefaultStream::kNone) {
    streams_.push_back(default_stream == DefaultStream::kLegacy ? cudaStreamLegacy : cudaStreamPerThread);
    borrowed_ = 1;
  }
  while (streams_.size() < count) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, flags), "creating a stream");
    streams_.push_back(stream);
  }
}

StreamSet::StreamSet(std::unique_ptr<SmPartition> partition, const std::vector<int>& shares) : partition_(std::move(partition)) {
  streams_.reserve(shares.size());
  for (const int share : shares) streams_.push_back(partition_->create_stream(share));
}

StreamSet::~StreamSet() {
  for (std::size_t i = borrowed_; i < streams_.size(); ++i) static_cast<void>(cudaStreamDestroy(streams_[i]));
}

}  // namespace tasktwin::gpu
