#include "models/memory/pool.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace tasktwin {

namespace {

constexpr std::int64_t kPoolUnit = 256;

}  // namespace

StreamPool::Stream& StreamPool::stream_of(std::uint32_t owner) {
  const auto found = std::ranges::find(streams_, owner, &Stream::owner);
  return found != streams_.end() ? *found : streams_.emplace_back(Stream{.owner = owner});
}

std::optional<Segments::Place> StreamPool::find(std::uint32_t owner, std::int64_t bytes, std::uint32_t passed) {
  for (auto next = free_.lower_bound({owner, bytes, 0}); next != free_.end() && std::get<0>(*next) == owner; ++next) {
    const Segments::Place block = segments_.at(std::get<2>(*next));
    if (block->second.mark <= passed) return block;
  }
  return std::nullopt;
}

bool StreamPool::is_at_end(Segments::Place block) const {
  return adjacent_ && block->first == segments_.blocks().rbegin()->first && Segments::end_of(block) == end_;
}

template <class Suits>
std::optional<Segments::Place> StreamPool::find_common(std::int64_t bytes, Suits suits) {
  for (auto next = free_.lower_bound({kAnyone, bytes, 0}); next != free_.end() && std::get<0>(*next) == kAnyone; ++next) {
    const Segments::Place block = segments_.at(std::get<2>(*next));
    if (suits(block)) return block;
  }
  return std::nullopt;
}

/// From the first to the end of those that lie in the block; a segment begins where its run of segments does.
std::pair<std::uint64_t, std::uint64_t> StreamPool::whole_segments(Segments::Place block) const {
  const auto size = static_cast<std::uint64_t>(segment_);
  const std::uint64_t start = block->second.segment;
  return {start + (block->first - start + size - 1) / size * size, start + (Segments::end_of(block) - start) / size * size};
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

std::optional<Segments::Place> StreamPool::extend(std::int64_t bytes, Grant& grant) {
  const bool has_rest = !segments_.blocks().empty() && is_at_end(segments_.last()) && segments_.last()->second.free &&
                        segments_.last()->second.owner == kAnyone;
  const std::int64_t missing = in_units(bytes - (has_rest ? segments_.last()->second.bytes : 0), segment_);
  std::uint64_t address = end_;
  if (!adjacent_) {
    const auto other = source_.allocate(missing);
    if (!other) return std::nullopt;
    address = *other;
    reserved_ += missing;
    grant.segment_bytes = missing;
  }
  const bool follows = !segments_.blocks().empty() && is_at_end(segments_.last());
  const std::uint64_t segment = follows ? segments_.last()->second.segment : address;
  Segments::Place block = segments_.add(address, missing, kAnyone);
  block->second.segment = segment;
  block->second.free = true;
  end_ = address + static_cast<std::uint64_t>(missing);
  if (adjacent_) {
    for (; address < end_; address += static_cast<std::uint64_t>(segment_)) unmapped_.insert(address);
  }
  block = segments_.join(block, [this](Segments::Place neighbour) { erase(neighbour); });
  insert(block);
  return block;
}

bool StreamPool::is_mapped(Segments::Place block, std::int64_t bytes) const {
  const auto next = unmapped_.lower_bound(segment_of(block->first));
  return next == unmapped_.end() || *next >= block->first + static_cast<std::uint64_t>(bytes);
}

bool StreamPool::map(Segments::Place block, std::int64_t bytes, Grant& grant) {
  const auto range = [&] {
    return std::pair{unmapped_.lower_bound(segment_of(block->first)),
                     unmapped_.lower_bound(block->first + static_cast<std::uint64_t>(bytes))};
  };
  const auto [first, end] = range();
  const std::int64_t missing = std::distance(first, end) * segment_;
  if (missing == 0) return true;
  erase(block);
  unmap(missing);
  const bool had = source_.allocate(missing).has_value();
  if (had) {
    const auto [from, to] = range();
    unmapped_.erase(from, to);
    reserved_ += missing;
    grant.segment_bytes = missing;
  }
  insert(block);
  return had;
}

void StreamPool::unmap(std::int64_t bytes) {
  std::vector<std::uint64_t> free;
  for (const auto& [owner, size, address] : free_) {
    if (owner == kAnyone && size >= segment_) free.push_back(address);
  }
  std::ranges::sort(free, std::greater{});
  const auto size = static_cast<std::uint64_t>(segment_);
  for (const std::uint64_t address : free) {
    const auto [lowest, end] = whole_segments(segments_.at(address));
    for (std::uint64_t segment = end; segment > lowest && bytes > 0;) {
      segment -= size;
      if (!unmapped_.insert(segment).second) continue;
      source_.release(segment, segment_);
      reserved_ -= segment_;
      bytes -= segment_;
    }
  }
}

StreamPool::Grant StreamPool::grant(Segments::Place block, std::uint32_t stream, std::int64_t bytes, Grant given) {
  if (block->second.free) {
    erase(block);
    block->second.free = false;
  }
  if (block->second.bytes > bytes) {
    const Segments::Place rest = segments_.split(block, bytes);
    rest->second.free = true;
    insert(rest);
  }
  used_ += bytes;
  stream_of(stream + 1).followed = false;
  given.address = block->first;
  return given;
}

std::optional<StreamPool::Grant> StreamPool::allocate(std::uint32_t stream, std::int64_t bytes) {
  auto given = take(stream, bytes);
  for (std::size_t user = 0; user < users() && !given; ++user) given = take_from(user, stream, bytes);
  if (given) return given;
  collect();
  return grow(stream, bytes);
}

std::optional<StreamPool::Grant> StreamPool::take(std::uint32_t stream, std::int64_t bytes) {
  assert(bytes > 0);
  const std::int64_t rounded = in_units(bytes, kPoolUnit);
  if (const auto own = find(stream + 1, rounded, stream_of(stream + 1).freed)) return grant(*own, stream, rounded, {});
  const auto within = find_common(rounded, [&](Segments::Place at) {
    const auto [first, end] = whole_segments(at);
    return end <= first && !is_at_end(at) && is_mapped(at, rounded);
  });
  return within ? std::optional(grant(*within, stream, rounded, {})) : std::nullopt;
}

std::optional<StreamPool::Grant> StreamPool::take_from(std::size_t user, std::uint32_t stream, std::int64_t bytes) {
  const Stream& other = streams_[user];
  const std::int64_t rounded = in_units(bytes, kPoolUnit);
  const auto found = find(other.owner, rounded, other.passed);
  return found ? std::optional(grant(*found, stream, rounded, {})) : std::nullopt;
}

std::optional<StreamPool::Grant> StreamPool::grow(std::uint32_t stream, std::int64_t bytes) {
  const std::int64_t rounded = in_units(bytes, kPoolUnit);
  Grant given;
  auto block = place(rounded, given);
  if (!block) {
    given.trimmed = trim();
    block = place(rounded, given);
  }
  return block ? std::optional(grant(*block, stream, rounded, given)) : std::nullopt;
}

std::optional<Segments::Place> StreamPool::place(std::int64_t bytes, Grant& grant) {
  auto block = find_common(bytes, [](Segments::Place) { return true; });
  if (!block) block = extend(bytes, grant);
  if (!block || !map(*block, bytes, grant)) return std::nullopt;
  return block;
}

void StreamPool::launched(std::uint32_t stream) {
  const auto found = std::ranges::find(streams_, stream + 1, &Stream::owner);
  if (found != streams_.end()) found->followed = true;
}

std::uint32_t StreamPool::free(std::uint64_t address, std::uint32_t stream) {
  const Segments::Place block = segments_.at(address);
  used_ -= block->second.bytes;
  freed_in_.push_back(stream + 1);
  const auto number = static_cast<std::uint32_t>(freed_in_.size());
  block->second.owner = stream + 1;
  block->second.mark = number;
  block->second.free = true;
  join(block);
  Stream& in = stream_of(stream + 1);
  in.freed = number;
  in.followed = false;
  return number;
}

void StreamPool::pass(std::uint32_t free) { stream_of(freed_in_[free - 1]).passed = free; }

void StreamPool::pass_all() {
  for (Stream& stream : streams_) stream.passed = stream.freed;
  collect();
}

void StreamPool::collect() {
  for (std::size_t user = 0; user < users(); ++user) collect(user);
}

/// What its stream has taken again meanwhile is no longer free, and stays.
void StreamPool::collect(std::size_t user) {
  const Stream& stream = streams_[user];
  for (;;) {
    const auto next = pending_.lower_bound({stream.owner, 0, 0});
    if (next == pending_.end() || std::get<0>(*next) != stream.owner || std::get<1>(*next) > stream.passed) return;
    const Segments::Place block = segments_.at(std::get<2>(*next));
    erase(block);
    block->second.owner = kAnyone;
    block->second.mark = 0;
    join(block);
  }
}

/// Of a free block the segments that it fills.
StreamPool::Trimmed StreamPool::give_back(Segments::Place block) {
  const std::uint64_t start = block->second.segment;
  const auto [first, end] = whole_segments(block);
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
  auto bytes = static_cast<std::int64_t>(end - first);
  bytes -= static_cast<std::int64_t>(std::erase_if(unmapped_, [&](std::uint64_t at) { return first <= at && at < end; })) * segment_;
  source_.release(first, bytes);
  reserved_ -= bytes;
  return {.segments = bytes / segment_, .bytes = bytes};
}

StreamPool::Trimmed StreamPool::trim() {
  collect();
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
