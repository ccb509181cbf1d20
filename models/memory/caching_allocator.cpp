#include "models/memory/caching_allocator.hpp"

#include <cassert>

namespace tasktwin {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kUnit = 512;
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kOwnSegment = 10 * kMiB;
constexpr std::int64_t kOwnSegmentUnit = 2 * kMiB;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

bool leaves_a_block(bool small, std::int64_t rest) { return small ? rest >= kUnit : rest > kLargestSmall; }

}  // namespace

std::int64_t caching_block_bytes(std::int64_t bytes) { return rounded_up(bytes, kUnit); }

std::int64_t caching_segment_bytes(std::int64_t block_bytes) {
  if (block_bytes <= kLargestSmall) return kSmallSegment;
  return block_bytes < kOwnSegment ? kLargeSegment : rounded_up(block_bytes, kOwnSegmentUnit);
}

std::uint32_t CachingAllocator::owner(std::uint32_t stream, std::int64_t block_bytes) {
  return 2 * stream + (block_bytes <= kLargestSmall ? 0 : 1);
}

CachingAllocator::FreeBlocks::const_iterator CachingAllocator::find(std::uint32_t owner, std::int64_t bytes) const {
  const auto found = free_.lower_bound({owner, bytes, 0});
  return found != free_.end() && std::get<0>(*found) == owner ? found : free_.end();
}

bool CachingAllocator::has_free(std::uint32_t stream, std::int64_t bytes) const {
  const std::int64_t rounded = caching_block_bytes(bytes);
  return find(owner(stream, rounded), rounded) != free_.end();
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
  Grant grant;
  grant.segment_bytes = caching_segment_bytes(rounded);
  auto address = source_.allocate(grant.segment_bytes);
  if (!address) {
    grant.released_bytes = reserved_;
    grant.released = empty();
    grant.released_bytes -= reserved_;
    address = source_.allocate(grant.segment_bytes);
  }
  if (!address) return std::nullopt;
  reserved_ += grant.segment_bytes;
  return given(segments_.add(*address, grant.segment_bytes, owner(stream, rounded)), rounded, grant);
}

CachingAllocator::Grant CachingAllocator::given(Segments::Place block, std::int64_t rounded, Grant grant) {
  if (leaves_a_block(rounded <= kLargestSmall, block->second.bytes - rounded)) {
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

std::int64_t CachingAllocator::empty() {
  const Segments::Released released = segments_.release_whole(free_, source_);
  reserved_ -= released.bytes;
  return released.segments;
}

}  // namespace tasktwin
