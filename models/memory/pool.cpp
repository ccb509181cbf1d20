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
    grant.segment_bytes = rounded_up(rounded, segment_);
    auto address = source_.allocate(grant.segment_bytes);
    if (!address) {
      grant.trimmed = trim();
      address = source_.allocate(grant.segment_bytes);
    }
    if (!address) return std::nullopt;
    reserved_ += grant.segment_bytes;
    block = segments_.add(*address, grant.segment_bytes, kAnyone);
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

StreamPool::Trimmed StreamPool::trim() {
  const Trimmed trimmed = segments_.release_whole(free_, source_, [](const auto& entry) { return std::get<0>(entry) == 0; });
  reserved_ -= trimmed.bytes;
  return trimmed;
}

}  // namespace tasktwin
