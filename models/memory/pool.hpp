#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "models/memory/memory_source.hpp"
#include "models/memory/segments.hpp"

namespace tasktwin {

/// A stream-ordered pool, as the driver keeps one behind cudaMallocAsync (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
/// Memory is given out when the host calls, ahead of the streams. What a stream has freed may be taken by its own later allocations at
/// once, joined with what it has freed beside it, and by other streams' once the device has passed the free
/// (cudaMemPoolReuseAllowOpportunistic; that the driver may instead let a stream wait for another's free is not modelled). What a stream
/// has freed itself and not yet passed is taken first: an H200's driver does not look at other streams then. The smallest free block
/// that is large enough is taken, of several the one at the lowest address, split in units of 256 B, the alignment that CUDA guarantees;
/// the driver's own choice is not documented. The pool grows at its end, by as many whole segments as its last block, if that is free for
/// all, leaves missing: blocks lie across segments (seen on an H200: 16 blocks of 34 MiB take 544 MiB more). When told to trim it gives
/// back the segments in which all is free and passed.
class StreamPool {
 public:
  /// Segments of `segment` bytes. Where they are not `adjacent`, each time the pool grows what comes lies apart.
  StreamPool(MemorySource& source, std::int64_t segment, bool adjacent = true)
      : source_(source), segment_(segment > 0 ? segment : 1), adjacent_(adjacent) {}

  using Trimmed = Segments::Released;
  struct Grant {
    std::uint64_t address = 0;
    std::int64_t segment_bytes = 0;  ///< by which the pool grew
    bool own = false;                ///< of what its stream has freed, not passed yet
    Trimmed trimmed{};               ///< given back first, because the source had nothing left
  };
  /// nullopt where the source has nothing left, even after a trim. Contract: bytes are positive.
  std::optional<Grant> allocate(std::uint32_t stream, std::int64_t bytes);

  /// The host calls for the free in `stream`; returns a number for pass(). Contract: an address that allocate returned, once.
  std::uint32_t free(std::uint64_t address, std::uint32_t stream);
  /// The device has passed that free. Contract: once, and in the order in which its stream's frees were called for.
  void pass(std::uint32_t free);
  /// All frees called for so far.
  void pass_all();
  Trimmed trim();

  std::int64_t used() const { return used_; }  ///< bytes allocated and not freed by the host
  std::int64_t reserved() const { return reserved_; }
  const Segments& segments() const { return segments_; }

 private:
  static constexpr std::uint32_t kAnyone = 0;  ///< Block::owner of what every stream may take; else a stream + 1

  using FreeBlocks = std::set<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>>;      ///< owner, bytes, address
  using PendingBlocks = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>;  ///< owner, latest free, address

  const FreeBlocks::value_type* find(std::uint32_t owner, std::int64_t bytes) const;
  void insert(Segments::Place block);
  void erase(Segments::Place block);
  void join(Segments::Place block);
  /// A block in use of at least `bytes` bytes at the end of the pool, which grows; nullopt where the source has nothing left.
  std::optional<Segments::Place> grow(std::int64_t bytes, Grant& grant);
  Trimmed give_back(Segments::Place block);

  MemorySource& source_;
  std::int64_t segment_;
  bool adjacent_;
  std::uint64_t end_ = 0;  ///< of what it grew by last
  Segments segments_;
  FreeBlocks free_;
  PendingBlocks pending_;                ///< those of free_ that only one stream may take; Block::mark is the latest free in them
  std::vector<std::uint32_t> freed_in_;  ///< owner, by number of the free less 1
  std::int64_t used_ = 0;
  std::int64_t reserved_ = 0;
};

}  // namespace tasktwin
