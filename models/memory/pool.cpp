#include "models/memory/pool.hpp"

#include <algorithm>
#include <cassert>

namespace tasktwin {

namespace {

constexpr std::int64_t kUnit = 256;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

const StreamPool::FreeBlocks::value_type* StreamPool::find(std::uint32_t owner, std::int64_t bytes) const {
  const auto found = free_.lower_bound({owner, bytes, 0});
  return found != free_.end() && std::get<0>(*found) == owner ? &*found : nullptr;
}

void StreamPool::insert(Segments::Place block) {
  const Segments::Block& what = block->second;
  free_.insert({what.owner, what.bytes, block->first});
  if (what.owner != kAnyone) pending_.insert({what.owner, what.mark, block->first});
}

void StreamPool::erase(Segments::Place block) {
  const Segments::Block& what = block->second;
  free_.erase({what.owner, what.bytes, block->first});
  pending_.erase({what.owner, what.mark, block->first});
}

/// Puts a free block among the free ones, together with its free neighbours of the same owner.
void StreamPool::join(Segments::Place block) {
  std::uint32_t latest = block->second.mark;
  block = segments_.join(block, [&](Segments::Place neighbour) {
    erase(neighbour);
    latest = std::max(latest, neighbour->second.mark);
  });
  block->second.mark = latest;
  insert(block);
}

std::optional<Segments::Place> StreamPool::grow(std::int64_t bytes, Grant& grant) {
  const bool follows = adjacent_ && !segments_.blocks().empty() && Segments::end_of(segments_.last()) == end_;
  const Segments::Block before = follows ? segments_.last()->second : Segments::Block{};
  const bool has_rest = before.free && before.owner == kAnyone;
  const std::int64_t missing = rounded_up(bytes - (has_rest ? before.bytes : 0), segment_);
  const auto address = source_.allocate(missing);
  if (!address) return std::nullopt;
  assert(!has_rest || *address == end_);
  const bool adjoins = follows && *address == end_;
  Segments::Place block = segments_.add(*address, missing, kAnyone);
  if (adjoins) block->second.segment = before.segment;
  block->second.free = true;
  block = segments_.join(block, [this](Segments::Place neighbour) { erase(neighbour); });
  block->second.free = false;
  end_ = *address + static_cast<std::uint64_t>(missing);
  reserved_ += missing;
  grant.segment_bytes = missing;
  return block;
}

std::optional<StreamPool::Grant> StreamPool::allocate(std::uint32_t stream, std::int64_t bytes) {
  assert(bytes > 0);
  const std::int64_t rounded = rounded_up(bytes, kUnit);
  Grant grant;
  Segments::Place block;
  const auto* const own = find(stream + 1, rounded);
  grant.own = own != nullptr;
  if (const auto* const found = own ? own : find(kAnyone, rounded)) {
    block = segments_.at(std::get<2>(*found));
    erase(block);
    block->second.free = false;
  } else {
    auto grown = grow(rounded, grant);
    if (!grown) {
      grant.trimmed = trim();
      grown = grow(rounded, grant);
    }
    if (!grown) return std::nullopt;
    block = *grown;
  }
  if (block->second.bytes > rounded) {
    const Segments::Place rest = segments_.split(block, rounded);
    rest->second.free = true;
    insert(rest);
  }
  used_ += rounded;
  grant.address = block->first;
  return grant;
}

std::uint32_t StreamPool::free(std::uint64_t address, std::uint32_t stream) {
  const Segments::Place block = segments_.at(address);
  used_ -= block->second.bytes;
  freed_in_.push_back(stream + 1);
  block->second.owner = stream + 1;
  block->second.mark = static_cast<std::uint32_t>(freed_in_.size());
  block->second.free = true;
  join(block);
  return static_cast<std::uint32_t>(freed_in_.size());
}

/// What its stream has taken again meanwhile is no longer free, and stays.
void StreamPool::pass(std::uint32_t free) {
  const std::uint32_t owner = freed_in_[free - 1];
  for (;;) {
    const auto next = pending_.lower_bound({owner, 0, 0});
    if (next == pending_.end() || std::get<0>(*next) != owner || std::get<1>(*next) > free) return;
    const Segments::Place block = segments_.at(std::get<2>(*next));
    erase(block);
    block->second.owner = kAnyone;
    block->second.mark = 0;
    join(block);
  }
}

void StreamPool::pass_all() {
  while (!pending_.empty()) pass(std::get<1>(*pending_.begin()));
}

/// Of a free block the segments that it fills.
StreamPool::Trimmed StreamPool::give_back(Segments::Place block) {
  const auto size = static_cast<std::uint64_t>(segment_);
  const std::uint64_t start = block->second.segment;  // a segment begins where its run of segments does
  const std::uint64_t first = start + (block->first - start + size - 1) / size * size;
  const std::uint64_t end = start + (Segments::end_of(block) - start) / size * size;
  if (end <= first) return {};
  erase(block);
  if (first > block->first) {
    const Segments::Place rest = segments_.split(block, static_cast<std::int64_t>(first - block->first));
    insert(block);
    block = rest;
  }
  if (Segments::end_of(block) > end) insert(segments_.split(block, static_cast<std::int64_t>(end - first)));
  if (const Segments::Place above = std::next(block); above != segments_.blocks().end() && above->second.segment == start)
    segments_.part(above);
  segments_.remove(block);
  const auto bytes = static_cast<std::int64_t>(end - first);
  source_.release(first, bytes);
  reserved_ -= bytes;
  return {.segments = bytes / segment_, .bytes = bytes};
}

StreamPool::Trimmed StreamPool::trim() {
  std::vector<std::uint64_t> addresses;
  for (const auto& [owner, bytes, address] : free_) {
    if (owner == kAnyone) addresses.push_back(address);
  }
  Trimmed trimmed;
  for (const std::uint64_t address : addresses) {
    const Trimmed given = give_back(segments_.at(address));
    trimmed.segments += given.segments;
    trimmed.bytes += given.bytes;
  }
  return trimmed;
}

}  // namespace tasktwin
