#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "models/memory/memory_source.hpp"

namespace tasktwin {

/// `bytes` in whole units.
constexpr std::int64_t in_units(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Segments of memory, each divided into blocks that are in use or free: split and joined within their segment. What may be taken
/// and joined is for an allocator to say.
class Segments {
 public:
  struct Block {
    std::uint64_t segment = 0;  ///< address of its segment
    std::int64_t bytes = 0;
    std::uint32_t owner = 0;  ///< which of the allocator's sets it belongs to; only blocks of one set are joined
    std::uint32_t mark = 0;   ///< the allocator's own; both parts of a block that is split have it
    bool free = false;
  };
  using Blocks = std::map<std::uint64_t, Block>;  ///< by address
  using Place = Blocks::iterator;

  /// A segment as one block in use.
  Place add(std::uint64_t address, std::int64_t bytes, std::uint32_t owner);
  /// Cuts `bytes` off the front of a block; returns the rest, of the same state.
  Place split(Place block, std::int64_t bytes);
  /// Joins a free block with free neighbours of its owner in its segment; `gone` is called for each neighbour before they are joined.
  template <class Gone>
  Place join(Place block, Gone gone) {
    if (block != blocks_.begin()) {
      const Place before = std::prev(block);
      if (joins(before, block)) {
        gone(before);
        before->second.bytes += block->second.bytes;
        blocks_.erase(block);
        block = before;
      }
    }
    const Place after = std::next(block);
    if (after != blocks_.end() && joins(block, after)) {
      gone(after);
      block->second.bytes += after->second.bytes;
      blocks_.erase(after);
    }
    return block;
  }
  /// Whether the block is all of its segment.
  bool is_whole(Place block) const;

  struct Released {
    std::int64_t segments = 0;
    std::int64_t bytes = 0;
  };
  /// Gives back to `source` every segment that is one block of `free`, a set whose entries end with an address, in their order; they
  /// leave `free`.
  template <class FreeBlocks>
  Released release_whole(FreeBlocks& free, MemorySource& source) {
    Released released;
    for (auto next = free.begin(); next != free.end();) {
      const Place block = at(std::get<2>(*next));
      if (!is_whole(block)) {
        ++next;
        continue;
      }
      next = free.erase(next);
      source.release(block->first, block->second.bytes);
      released.bytes += block->second.bytes;
      ++released.segments;
      remove(block);
    }
    return released;
  }
  void remove(Place block) { blocks_.erase(block); }
  /// Makes the segment's blocks from `block` on a segment of their own.
  void part(Place block);
  static std::uint64_t end_of(Place block) { return block->first + static_cast<std::uint64_t>(block->second.bytes); }
  /// The one of the highest address. Contract: there are blocks.
  Place last() { return std::prev(blocks_.end()); }
  Place at(std::uint64_t address) { return blocks_.find(address); }
  const Blocks& blocks() const { return blocks_; }

 private:
  static bool joins(Place a, Place b) {
    return a->second.free && b->second.free && a->second.segment == b->second.segment && a->second.owner == b->second.owner &&
           end_of(a) == b->first;
  }

  Blocks blocks_;
};

}  // namespace tasktwin
