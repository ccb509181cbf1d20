#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "models/memory/memory_source.hpp"
#include "models/memory/segments.hpp"

namespace tasktwin {

/// Bytes that `bytes` are rounded up to.
std::int64_t caching_block_bytes(std::int64_t bytes);
/// Bytes of the segment that is requested from the device for a block of that many (rounded) bytes.
std::int64_t caching_segment_bytes(std::int64_t block_bytes);

/// Settings of PYTORCH_CUDA_ALLOC_CONF.
struct CachingSettings {
  bool expandable = false;     ///< expandable_segments
  std::int64_t max_split = 0;  ///< bytes, max_split_size_mb; 0 for no limit
};

/// A cache of device memory on the host, as PyTorch's default one (c10/cuda/CUDACachingAllocator.cpp). Blocks are multiples of 512 B. Those
/// up to 1 MiB lie in segments of 2 MiB, larger ones in segments of 20 MiB, from 10 MiB on in their own of a multiple of 2 MiB. The
/// smallest free block of the same stream and kind that is large enough is taken, of several the one at the lowest address; what is left of
/// it is split off from 512 B on, or if large from above 1 MiB on. A freed block joins its free neighbours and stays with its stream. Where
/// the device has no memory left, all segments that are wholly free are given back, and it is asked once more.
///
/// Blocks of `max_split` and more are never split: they go to requests of as much alone, and only where they are less than 20 MiB larger.
/// Where segments are expandable, a stream has one of each kind, and what it lacks is mapped after it in pages of 2 MiB, of 20 MiB for
/// large blocks; a free block at its end counts. Whole pages of free blocks are given back. (Simplified: what comes later is mapped at the
/// end, not where pages were given back.)
class CachingAllocator {
 public:
  explicit CachingAllocator(MemorySource& source, CachingSettings settings = {}) : source_(source), settings_(settings) {}

  /// One allocation with its calls of the source, in this order: a failed one, that many releases, one more.
  struct Grant {
    std::uint64_t address = 0;
    std::int64_t segment_bytes = 0;   ///< newly asked of the source; 0 where a free block was found
    std::int64_t released = 0;        ///< segments given back for it
    std::int64_t released_bytes = 0;  ///< their bytes
  };
  /// nullopt where the source has nothing left even so. Contract: bytes are positive.
  std::optional<Grant> allocate(std::uint32_t stream, std::int64_t bytes);
  /// The same without a look at the free blocks: from a new segment.
  std::optional<Grant> grow(std::uint32_t stream, std::int64_t bytes);
  /// Bytes that allocate would ask the source for first; 0 where it would find a free block.
  std::int64_t asks_for(std::uint32_t stream, std::int64_t bytes) const;
  /// Contract: an address that allocate returned, once.
  void free(std::uint64_t address);

  /// Gives all segments that are wholly free back; how many.
  std::int64_t empty();

  std::int64_t used() const { return used_; }  ///< bytes of the blocks in use
  std::int64_t reserved() const { return reserved_; }
  const Segments& segments() const { return segments_; }

 private:
  using FreeBlocks = std::set<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>>;  ///< owner, bytes, address

  static std::uint32_t owner(std::uint32_t stream, std::int64_t block_bytes);
  FreeBlocks::const_iterator find(std::uint32_t owner, std::int64_t bytes) const;
  /// The block in use, split where it is larger; fills in where it lies.
  Grant given(Segments::Place block, std::int64_t rounded, Grant grant);
  void insert(Segments::Place block);
  void erase(Segments::Place block);
  bool leaves_a_block(std::int64_t rounded, std::int64_t rest) const;
  std::int64_t missing(std::uint32_t owner, std::int64_t rounded) const;
  Segments::Place expand(std::uint32_t owner, std::int64_t bytes);
  std::int64_t unmap(Segments::Place block);

  MemorySource& source_;
  CachingSettings settings_;
  std::map<std::uint32_t, std::uint64_t> ends_;  ///< of expandable segments, by owner
  Segments segments_;
  FreeBlocks free_;
  std::int64_t used_ = 0;
  std::int64_t reserved_ = 0;
};

}  // namespace tasktwin
