#pragma once

#include <cstdint>
#include <vector>

#include "models/graph/operation.hpp"

namespace tasktwin::gpu {

/// What copies and memsets take on an otherwise idle GPU; medians, in nanoseconds.
struct TransferTimes {
  /// Transfers queued after a kernel, in turn into that many streams: the time that each adds.
  struct Queued {
    Operation operation{};
    int streams = 1;
    std::int64_t bytes = 0;
    double ns = 0;
  };
  /// A copy from or to pageable memory: call begun → stream empty.
  struct Pageable {
    Operation operation{};
    std::int64_t bytes = 0;
    double ns = 0;
  };

  std::vector<Queued> queued;  ///< pinned memory
  std::vector<Pageable> pageable;
  double duplex_bytes_per_ns = 0;  ///< of copies in both directions, a stream each
  double call_ns = 0;              ///< host time of a call into a stream that is busy, pinned memory
  double first_word_ns = 0;        ///< call begun → the host sees the one word copied to it, everything idle
};

/// Contract: there is a GPU. Throws RunError.
TransferTimes probe_transfers();

/// What the host's calls that allocate and free device memory take, the device idle unless stated otherwise; medians, in nanoseconds, of
/// seven rounds.
struct AllocationTimes {
  struct Sized {
    std::int64_t bytes = 0;
    double ns = 0;
  };
  struct Trim {
    int segments = 0;  ///< that a pool without a release threshold had unused
    double ns = 0;     ///< what blocking for the stream took beyond a pool that keeps as many
  };

  std::vector<Sized> malloc;      ///< after a free of as much
  std::vector<Sized> malloc_new;  ///< a kernel running, nothing freed; means
  std::vector<Sized> free;
  std::vector<Sized> pool_grow;  ///< cudaMallocAsync from a pool in which nothing is free, by the bytes it reserves; means
  std::vector<Trim> trims;
  /// cudaMallocAsync in a stream next to that many others in which a free came last, of more than any has freed: all are asked
  /// twice, and it once.
  struct Look {
    int streams = 0;
    double ns = 0;
  };

  std::vector<Look> looks;
  double malloc_async_ns = 0;  ///< from memory that the stream has just freed
};

/// `segment`: bytes by which a pool grows. Contract: there is a GPU. Throws RunError.
AllocationTimes probe_allocations(std::int64_t segment);

}  // namespace tasktwin::gpu
