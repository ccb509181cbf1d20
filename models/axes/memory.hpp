#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: how device memory is allocated during the run.

/// Which allocator gives out device memory; how `caching` does: models/memory/caching_allocator.hpp.
enum class Allocator : std::uint8_t { kPool, kMalloc, kCaching };
template <>
struct Words<Allocator> {
  static constexpr std::array values{
      AxisValue{Allocator::kPool, "pool", "a stream-ordered pool: cudaMallocAsync and cudaFreeAsync; in a graph, its memory nodes"},
      AxisValue{Allocator::kMalloc, "malloc", "cudaMalloc, and cudaFree, which blocks the host until the device is idle"},
      AxisValue{Allocator::kCaching, "caching", "the host's own cache of cudaMalloc's blocks, as PyTorch keeps one"},
  };
  static constexpr auto entries = words_of(values);
};

/// How much unused memory a pool keeps when the host synchronises.
enum class ReleaseThreshold : std::uint8_t { kZero, kMax };
template <>
struct Words<ReleaseThreshold> {
  static constexpr std::array values{
      AxisValue{ReleaseThreshold::kZero, "zero", "none, as CUDA's pools unless told otherwise"},
      AxisValue{ReleaseThreshold::kMax, "max", "all"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which freed memory a pool gives to an allocation in a stream, in addition to what that stream has freed itself.
enum class PoolReuse : std::uint8_t { kPassed, kOwnStream };
template <>
struct Words<PoolReuse> {
  static constexpr std::array values{
      AxisValue{PoolReuse::kPassed, "passed",
                "what other streams have freed, once the device has passed the free: what the pool grows to depends on times"},
      AxisValue{PoolReuse::kOwnStream, "own_stream",
                "none until the host synchronises: what the pool grows to depends on the order of calls alone"},
  };
  static constexpr auto entries = words_of(values);
};

/// What a caching allocator knows of the streams that use a buffer other than the one it was allocated in.
enum class RecordStream : std::uint8_t { kOff, kOn };
template <>
struct Words<RecordStream> {
  static constexpr std::array values{
      AxisValue{RecordStream::kOff, "off", "nothing: a freed buffer returns to its own stream at once, even if another still uses it"},
      AxisValue{RecordStream::kOn, "on", "all that were told of (tensor.record_stream): a freed buffer is free once they have passed"},
  };
  static constexpr auto entries = words_of(values);
};

/// What a caching allocator asks the device for.
enum class MemorySegments : std::uint8_t { kFixed, kExpandable };
template <>
struct Words<MemorySegments> {
  static constexpr std::array values{
      AxisValue{MemorySegments::kFixed, "fixed", "segments of their own, which never become larger"},
      AxisValue{MemorySegments::kExpandable, "expandable",
                "pages that extend one segment a stream and kind (expandable_segments:True of PYTORCH_CUDA_ALLOC_CONF)"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
