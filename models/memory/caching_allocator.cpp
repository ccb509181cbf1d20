#include "models/memory/caching_allocator.hpp"

#include <cassert>
#include <iterator>

namespace tasktwin {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kCachingUnit = 512;
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kOwnSegment = 10 * kMiB;
constexpr std::int64_t kOwnSegmentUnit = 2 * kMiB;

/// Of an expandable segment.
std::int64_t page(bool small) { return small ? kSmallSegment : kLargeSegment; }

/// Far enough from each other and from what the source gives out.
std::uint64_t segment_of(std::uint32_t owner) { return (std::uint64_t{owner} + 1) << 44; }

}  // namespace

std::int64_t caching_block_bytes(std::int64_t bytes) { return in_units(bytes, kCachingUnit); }

std::int64_t caching_segment_bytes(std::int64_t block_bytes) {
  if (block_bytes <= kLargestSmall) return kSmallSegment;
  return block_bytes < kOwnSegment ? kLargeSegment : in_units(block_bytes, kOwnSegmentUnit);
}

std::uint32_t CachingAllocator::owner(std::uint32_t stream, std::int64_t block_bytes) {
  return 2 * stream + (block_bytes <= kLargestSmall ? 0 : 1);
}

CachingAllocator::FreeBlocks::const_iterator CachingAllocator::find(std::uint32_t owner, std::int64_t bytes) const {
  const auto found = free_.lower_bound({owner, bytes, 0});
  if (found == free_.end() || std::get<0>(*found) != owner) return free_.end();
  const std::int64_t large = std::get<1>(*found);
  if (settings_.max_split == 0 || large < settings_.max_split) return found;
  return bytes >= settings_.max_split && large < bytes + kLargeSegment ? found : free_.end();
}

std::int64_t CachingAllocator::asks_for(std::uint32_t stream, std::int64_t bytes) const {
  const std::int64_t rounded = caching_block_bytes(bytes);
  const std::uint32_t set = owner(stream, rounded);
  if (find(set, rounded) != free_.end()) return 0;
  return settings_.expandable ? missing(set, rounded) : caching_segment_bytes(rounded);
}

void CachingAllocator::insert(Segments::Place block) { free_.insert({block->second.owner, block->second.bytes, block->first}); }
void CachingAllocator::erase(Segments::Place block) { free_.erase({block->second.owner, block->second.bytes, block->first}); }

std::optional<CachingAllocator::Grant> CachingAllocator::allocate(std::uint32_t stream, std::int64_t bytes) {
  assert(bytes > 0);
  const std::int64_t rounded = caching_block_bytes(bytes);
  const auto found = find(owner(stream, rounded), rounded);
  if (found == free_.end()) return grow(stream, bytes);
  const Segments::Place block = segments_.at(std::get<2>(*found));
  free_.erase(found);
  block->second.free = false;
  return given(block, rounded, {});
}

std::optional<CachingAllocator::Grant> CachingAllocator::grow(std::uint32_t stream, std::int64_t bytes) {
  assert(bytes > 0);
  const std::int64_t rounded = caching_block_bytes(bytes);
  const std::uint32_t set = owner(stream, rounded);
  Grant grant;
  grant.segment_bytes = settings_.expandable ? missing(set, rounded) : caching_segment_bytes(rounded);
  auto address = source_.allocate(grant.segment_bytes);
  if (!address) {
    grant.released_bytes = reserved_;
    grant.released = empty();
    grant.released_bytes -= reserved_;
    if (settings_.expandable) grant.segment_bytes = missing(set, rounded);
    address = source_.allocate(grant.segment_bytes);
  }
  if (!address) return std::nullopt;
  reserved_ += grant.segment_bytes;
  return given(settings_.expandable ? expand(set, grant.segment_bytes) : segments_.add(*address, grant.segment_bytes, set), rounded, grant);
}

bool CachingAllocator::leaves_a_block(std::int64_t rounded, std::int64_t rest) const {
  if (rounded <= kLargestSmall || settings_.expandable) return rest >= kCachingUnit;
  return rest > kLargestSmall && (settings_.max_split == 0 || rounded < settings_.max_split);
}

/// Bytes of the pages that the owner's segment lacks for a block after what is in use.
std::int64_t CachingAllocator::missing(std::uint32_t owner, std::int64_t rounded) const {
  const auto end = ends_.find(owner);
  std::int64_t tail = 0;
  if (const auto behind = segments_.blocks().lower_bound(end == ends_.end() ? 0 : end->second); behind != segments_.blocks().begin()) {
    const auto& [address, last] = *std::prev(behind);
    if (last.free && last.owner == owner && address + static_cast<std::uint64_t>(last.bytes) == end->second) tail = last.bytes;
  }
  return in_units(rounded - tail, page((owner & 1) == 0));
}

/// The block at the end of the owner's segment once that many bytes are mapped after it, in use.
Segments::Place CachingAllocator::expand(std::uint32_t owner, std::int64_t bytes) {
  const std::uint64_t segment = segment_of(owner);
  std::uint64_t& end = ends_.try_emplace(owner, segment).first->second;
  Segments::Place block = segments_.add(end, bytes, owner);
  end += static_cast<std::uint64_t>(bytes);
  block->second.segment = segment;
  block->second.free = true;
  block = segments_.join(block, [this](Segments::Place neighbour) { erase(neighbour); });
  block->second.free = false;
  return block;
}

CachingAllocator::Grant CachingAllocator::given(Segments::Place block, std::int64_t rounded, Grant grant) {
  if (leaves_a_block(rounded, block->second.bytes - rounded)) {
    const Segments::Place rest = segments_.split(block, rounded);
    rest->second.free = true;
    insert(rest);
  }
  used_ += block->second.bytes;
  grant.address = block->first;
  return grant;
}

void CachingAllocator::free(std::uint64_t address) {
  Segments::Place block = segments_.at(address);
  used_ -= block->second.bytes;
  block->second.free = true;
  block = segments_.join(block, [this](Segments::Place neighbour) { erase(neighbour); });
  insert(block);
}

/// Gives the whole pages of a free block back; their bytes. What is left of it at either side stays free.
std::int64_t CachingAllocator::unmap(Segments::Place block) {
  const std::uint64_t segment = block->second.segment;
  const auto unit = static_cast<std::uint64_t>(page((block->second.owner & 1) == 0));
  const std::uint64_t first = segment + (block->first - segment + unit - 1) / unit * unit;
  const std::uint64_t last = segment + (Segments::end_of(block) - segment) / unit * unit;
  if (first >= last) return 0;
  erase(block);
  if (first > block->first) {
    const Segments::Place rest = segments_.split(block, static_cast<std::int64_t>(first - block->first));
    insert(block);
    block = rest;
  }
  if (last < Segments::end_of(block)) insert(segments_.split(block, static_cast<std::int64_t>(last - first)));
  if (ends_[block->second.owner] == last) ends_[block->second.owner] = first;
  const std::int64_t bytes = block->second.bytes;
  source_.release(block->first, bytes);
  segments_.remove(block);
  return bytes;
}

std::int64_t CachingAllocator::empty() {
  if (settings_.expandable) {
    const FreeBlocks free = free_;
    std::int64_t segments = 0;
    for (const auto& [set, bytes, address] : free) {
      const std::int64_t unmapped = unmap(segments_.at(address));
      reserved_ -= unmapped;
      segments += unmapped > 0 ? 1 : 0;
    }
    return segments;
  }
  const Segments::Released released = segments_.release_whole(free_, source_);
  reserved_ -= released.bytes;
  return released.segments;
}

}  // namespace tasktwin
