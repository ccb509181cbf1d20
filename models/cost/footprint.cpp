#include "models/cost/footprint.hpp"

#include <algorithm>

namespace tasktwin {

namespace {

constexpr std::int64_t kKib = 1024;
/// What the driver leaves at least: so much a block, up to so much in all.
constexpr std::int64_t kLeastOfBlock = 4 * kKib;
constexpr std::int64_t kLeast = 32 * kKib;
/// A kernel of which a core can hold between these numbers of blocks gets twice the memory that they fill, up to kGenerous.
constexpr std::int64_t kFewestGenerous = 4;
constexpr std::int64_t kMostGenerous = 16;
constexpr std::int64_t kGenerous = 132 * kKib;

std::int64_t at_least(const CoreLimits& limits, std::int64_t bytes) {
  const auto found = std::ranges::find_if(limits.carveouts, [bytes](int kib) { return kib * kKib >= bytes; });
  return found == limits.carveouts.end() ? limits.shared_memory : *found * kKib;
}

}  // namespace

Carveout carveout(const CoreLimits& limits, std::int64_t block_bytes, std::int64_t blocks, int percent) {
  if (limits.carveouts.empty()) return {limits.shared_memory, 0, limits.shared_memory};
  const std::int64_t fit = block_bytes > 0 ? std::min(blocks, limits.shared_memory / block_bytes) : blocks;
  const std::int64_t filled = block_bytes * fit;
  const std::int64_t least = at_least(limits, filled);
  if (percent < 0) {
    const bool generous = blocks >= kFewestGenerous && blocks <= kMostGenerous;
    const std::int64_t given = std::max(std::min(kLeastOfBlock * blocks, kLeast), generous ? std::min(2 * filled, kGenerous) : 0);
    return {at_least(limits, std::max(filled, given)), least, limits.shared_memory};
  }
  const std::int64_t asked = std::max(at_least(limits, limits.shared_memory * percent / 100), at_least(limits, block_bytes));
  return {asked, std::min(least, asked), asked};
}

}  // namespace tasktwin
