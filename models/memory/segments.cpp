#include "models/memory/segments.hpp"

#include <cassert>
#include <iterator>

namespace tasktwin {

Segments::Place Segments::add(std::uint64_t address, std::int64_t bytes, std::uint32_t owner) {
  return blocks_.emplace(address, Block{.segment = address, .bytes = bytes, .owner = owner}).first;
}

Segments::Place Segments::split(Place block, std::int64_t bytes) {
  assert(bytes > 0 && bytes < block->second.bytes);
  Block rest = block->second;
  rest.bytes -= bytes;
  block->second.bytes = bytes;
  return blocks_.emplace(block->first + static_cast<std::uint64_t>(bytes), rest).first;
}

void Segments::part(Place block) {
  const std::uint64_t before = block->second.segment;
  const std::uint64_t first = block->first;
  for (; block != blocks_.end() && block->second.segment == before; ++block) block->second.segment = first;
}

bool Segments::is_whole(Place block) const {
  const Blocks::const_iterator here = block;
  if (here->first != here->second.segment) return false;
  const auto next = std::next(here);
  return next == blocks_.end() || next->second.segment != here->second.segment;
}

}  // namespace tasktwin
