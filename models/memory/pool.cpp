#include "models/memory/pool.hpp"

#include <cassert>

namespace tasktwin {

namespace {

constexpr std::int64_t kUnit = 256;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

std::uint32_t StreamPool::taker(const Segments::Block& block) const {
  return block.owner == kAnyone ? 0 : pending_.at(block.owner).stream + 1;
}

const StreamPool::FreeBlocks::value_type* StreamPool::find(std::uint32_t taker, std::int64_t bytes) const {
  const auto found = free_.lower_bound({taker, bytes, 0});
  return found != free_.end() && std::get<0>(*found) == taker ? &*found : nullptr;
}

std::optional<StreamPool::Grant> StreamPool::allocate(std::uint32_t stream, std::int64_t bytes) {
  assert(bytes > 0);
  const std::int64_t rounded = rounded_up(bytes, kUnit);
  Grant grant;
  Segments::Place block;
  const auto* own = find(stream + 1, rounded);
  const auto* anyones = find(0, rounded);
  const auto smaller = [](const auto& a, const auto& b) {
    return std::pair(std::get<1>(a), std::get<2>(a)) < std::pair(std::get<1>(b), std::get<2>(b));
  };
  if (const auto* found = own && (!anyones || smaller(*own, *anyones)) ? own : anyones) {
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
  pending_.emplace(++frees_, PendingFree{stream, address, block->second.bytes});
  block->second.owner = frees_;
  block->second.free = true;
  insert(block);
  return frees_;
}

/// What its stream has taken again meanwhile is no longer the free's, and stays.
void StreamPool::pass(std::uint32_t free) {
  const PendingFree pending = pending_.at(free);
  const std::uint64_t end = pending.address + static_cast<std::uint64_t>(pending.bytes);
  for (std::uint64_t at = pending.address; at < end;) {
    Segments::Place block = segments_.at(at);
    at += static_cast<std::uint64_t>(block->second.bytes);
    if (block->second.owner != free || !block->second.free) continue;
    erase(block);
    block->second.owner = kAnyone;
    block = segments_.join(block, [this](Segments::Place neighbour) { erase(neighbour); });
    insert(block);
  }
  pending_.erase(free);
}

StreamPool::Trimmed StreamPool::trim() {
  const Trimmed trimmed = segments_.release_whole(free_, source_, [](const auto& entry) { return std::get<0>(entry) == 0; });
  reserved_ -= trimmed.bytes;
  return trimmed;
}

}  // namespace tasktwin
