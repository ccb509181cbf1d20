#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/memory/memory_source.hpp"
#include "models/memory/segments.hpp"

namespace tasktwin {

/// A stream-ordered pool, as the driver keeps for cudaMallocAsync (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
/// Memory is given out when the host calls, ahead of the streams, where it is found first:
///
/// 1. of what the stream has freed itself, at once, joined with its freed neighbours;
/// 2. of what all may take, but for the free block at the pool's end and those in which whole segments lie;
/// 3. of what one other stream has freed and the device has passed (cudaMemPoolReuseAllowOpportunistic; that the driver may instead let
///    a stream wait for another's free is not modelled): the others are asked one after another, as they first used the pool;
/// 4. of all that all may take, after each of the others has been asked once more, and the stream itself, and what has passed is
///    everybody's; the pool grows there by what is missing.
///
/// Addresses are in segments, of which each is mapped to memory: in the fourth place what is not mapped yet is, first to the segments
/// that lie free elsewhere in the pool, which lose their own addresses, then to new ones. So a request that only fits pieces far apart
/// makes the pool grow by what they leave missing; how long it takes is a matter of the segments that are mapped, new or not.
///
/// The driver knows how far a stream has come by what was launched there last; to ask one in which an allocation or a free came last,
/// and in which all frees have passed, takes it a round to the device. Of several free blocks that are large enough the smallest is
/// taken, of those the one at the lowest address, split in units of 256 B, the alignment that CUDA guarantees. None of this is
/// documented: the driver of an H200 (580) was seen to do so, by what its calls return and how long they take. When told to trim the
/// pool gives back the segments in which all is free and passed.
class StreamPool {
 public:
  /// Segments of `segment` bytes; of 2 MiB, the device's pages, for 0. Where they are not `adjacent`, each time the pool grows what comes
  /// lies apart.
  StreamPool(MemorySource& source, std::int64_t segment, bool adjacent = true)
      : source_(source), segment_(segment > 0 ? segment : 2 << 20), adjacent_(adjacent) {}

  using Trimmed = Segments::Released;
  struct Grant {
    std::uint64_t address = 0;
    std::int64_t segment_bytes = 0;  ///< mapped for it: new ones, and those that lay free elsewhere
    Trimmed trimmed{};               ///< given back first, because the source had nothing left
  };
  /// The four places one after another at once. nullopt where the source has nothing left, even after a trim. Contract: bytes are
  /// positive.
  std::optional<Grant> allocate(std::uint32_t stream, std::int64_t bytes);

  /// The first two places; nullopt where neither has enough.
  std::optional<Grant> take(std::uint32_t stream, std::int64_t bytes);
  /// Streams that have used the pool. They are numbered from 0 on, as they first did.
  std::size_t users() const { return streams_.size(); }
  bool is_own(std::size_t user, std::uint32_t stream) const { return streams_[user].owner == stream + 1; }
  /// Whether the driver has to ask that user how far it has come.
  bool must_ask(std::size_t user) const { return !streams_[user].followed && streams_[user].passed == streams_[user].freed; }
  /// The third place, in that user's turn.
  std::optional<Grant> take_from(std::size_t user, std::uint32_t stream, std::int64_t bytes);
  /// What has passed of that user's is everybody's.
  void collect(std::size_t user);
  /// The fourth place, without what is to be collected before.
  std::optional<Grant> grow(std::uint32_t stream, std::int64_t bytes);
  /// The host has launched into `stream` what the driver follows: a kernel, a copy.
  void launched(std::uint32_t stream);

  /// The host calls for the free in `stream`; returns a number for pass(). Contract: an address that allocate returned, once.
  std::uint32_t free(std::uint64_t address, std::uint32_t stream);
  /// The device has passed that free. Contract: once, and in the order in which its stream's frees were called for.
  void pass(std::uint32_t free);
  /// All frees called for so far, and they are everybody's.
  void pass_all();
  /// What has passed is everybody's.
  void collect();
  Trimmed trim();

  std::int64_t used() const { return used_; }  ///< bytes allocated and not freed by the host
  std::int64_t reserved() const { return reserved_; }
  const Segments& segments() const { return segments_; }

 private:
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 30;  ///< the lowest address
  static constexpr std::uint32_t kAnyone = 0;                     ///< Block::owner of what every stream may take; else a stream + 1

  using FreeBlocks = std::set<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>>;      ///< owner, bytes, address
  using PendingBlocks = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>;  ///< owner, latest free, address

  struct Stream {
    std::uint32_t owner = 0;
    std::uint32_t freed = 0;   ///< number of its latest free
    std::uint32_t passed = 0;  ///< of the latest that the device has passed
    bool followed = true;      ///< nothing was allocated or freed in it since the latest launch
  };

  Stream& stream_of(std::uint32_t owner);
  /// The smallest block of that many bytes whose frees have all passed, up to `passed`.
  std::optional<Segments::Place> find(std::uint32_t owner, std::int64_t bytes, std::uint32_t passed);
  /// The smallest that all may take and that suits, of what is mapped and what is not.
  template <class Suits>
  std::optional<Segments::Place> find_common(std::int64_t bytes, Suits suits);
  bool is_at_end(Segments::Place block) const;
  Grant grant(Segments::Place block, std::uint32_t stream, std::int64_t bytes, Grant given);
  void insert(Segments::Place block);
  void erase(Segments::Place block);
  void join(Segments::Place block);
  /// A free block that all may take, mapped as far as `bytes` go; nullopt where the source has nothing left.
  std::optional<Segments::Place> place(std::int64_t bytes, Grant& grant);
  /// The free block at the end, of at least `bytes` bytes with what is added to it.
  std::optional<Segments::Place> extend(std::int64_t bytes, Grant& grant);
  std::uint64_t segment_of(std::uint64_t address) const { return address - (address - kBase) % static_cast<std::uint64_t>(segment_); }
  std::pair<std::uint64_t, std::uint64_t> whole_segments(Segments::Place block) const;
  bool is_mapped(Segments::Place block, std::int64_t bytes) const;
  /// Maps what is not of the block's first `bytes` bytes; false where the source has nothing left.
  bool map(Segments::Place block, std::int64_t bytes, Grant& grant);
  /// Of the segments that all may take, those at the highest addresses.
  void unmap(std::int64_t bytes);
  Trimmed give_back(Segments::Place block);

  MemorySource& source_;
  std::int64_t segment_;
  bool adjacent_;
  std::uint64_t end_ = kBase;         ///< of what it grew by last
  std::set<std::uint64_t> unmapped_;  ///< segments of addresses that have no memory now
  Segments segments_;
  FreeBlocks free_;
  PendingBlocks pending_;                ///< those of free_ that only one stream may take; Block::mark is the latest free in them
  std::vector<std::uint32_t> freed_in_;  ///< owner, by number of the free less 1
  std::vector<Stream> streams_;          ///< as they first used the pool
  std::int64_t used_ = 0;
  std::int64_t reserved_ = 0;
};

}  // namespace tasktwin
