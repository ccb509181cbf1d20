#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: how device memory is allocated during the run.

/// Who gives out device memory.
enum class Allocator : std::uint8_t {
  kPool,     ///< a stream-ordered pool: cudaMallocAsync and cudaFreeAsync; in a graph, its memory nodes
  kMalloc,   ///< cudaMalloc and cudaFree, each of which blocks the host until the device is idle
  kCaching,  ///< the host's own cache of cudaMalloc's blocks, as PyTorch keeps one: models/memory/caching_allocator.hpp
};
template <>
struct Words<Allocator> {
  static constexpr std::array entries{
      std::pair{Allocator::kPool, std::string_view{"pool"}},
      std::pair{Allocator::kMalloc, std::string_view{"malloc"}},
      std::pair{Allocator::kCaching, std::string_view{"caching"}},
  };
};

/// How much unused memory a pool keeps when the host synchronises.
enum class ReleaseThreshold : std::uint8_t {
  kZero,  ///< none, as CUDA's pools unless told otherwise
  kMax,   ///< all
};
template <>
struct Words<ReleaseThreshold> {
  static constexpr std::array entries{
      std::pair{ReleaseThreshold::kZero, std::string_view{"zero"}},
      std::pair{ReleaseThreshold::kMax, std::string_view{"max"}},
  };
};

/// Which freed memory a pool gives to an allocation in a stream, beside what that stream has freed itself.
enum class PoolReuse : std::uint8_t {
  kPassed,     ///< what other streams have freed, once the device has passed the free: what the pool grows to depends on times
  kOwnStream,  ///< none until the host synchronises: what the pool grows to depends on the order of calls alone
};
template <>
struct Words<PoolReuse> {
  static constexpr std::array entries{
      std::pair{PoolReuse::kPassed, std::string_view{"passed"}},
      std::pair{PoolReuse::kOwnStream, std::string_view{"own_stream"}},
  };
};

}  // namespace tasktwin
