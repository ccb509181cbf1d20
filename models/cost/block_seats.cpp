#include "models/cost/block_seats.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <map>

#include "models/cost/occupancy.hpp"
#include "models/machine/clusters.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kBits = 64;

/// The cores of `type` by their group; none where the machine states none.
std::vector<std::vector<CoreId>> groups_of(std::span<const CoreGroup> core_groups, std::span<const CoreType> cores) {
  std::map<int, std::vector<CoreId>> groups;
  for (const CoreGroup& group : core_groups) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (cores[i] != group.type || place >= group.cluster_groups.size()) continue;
      groups[group.cluster_groups[place++]].push_back(core_id(i));
    }
  }
  std::vector<std::vector<CoreId>> all;
  for (auto& [number, members] : groups) all.push_back(std::move(members));
  return all;
}

}  // namespace

BlockNeeds block_needs(const TaskTraits& traits, const CoreLimits& limits) {
  const Footprint block = footprint(traits);
  if (block.whole_core) return {.whole_core = true};
  const BlockRoom room = block_room(block.threads, block.registers, block.shared_memory, limits);
  const std::int64_t but_for_shared_memory = blocks_a_core({.threads = room.threads, .registers = room.registers}, limits);
  return {.threads = room.threads,
          .registers = room.registers,
          .shared_memory = room.shared_memory,
          .carveout = carveout(limits, room.shared_memory, but_for_shared_memory, block.carveout)};
}

BlockSeats::BlockSeats(const CoreLimits& limits, std::span<const CoreGroup> groups, std::span<const CoreType> cores,
                       std::span<const std::uint8_t> shares)
    : limits_(limits), clusters_(clusters(groups, cores)), groups_(groups_of(groups, cores)) {
  for (std::size_t i = 0; i < cores.size(); ++i)
    cores_.push_back({.pool = pool(cores[i], shares.empty() ? 0 : shares[i]), .id = core_id(i)});
  for (std::size_t i = 0; i < cores.size(); ++i) toggle(cores_[i]);
  for (std::uint32_t k = 0; k < clusters_.size(); ++k) {
    for (const CoreId core : clusters_[k]) cores_[index(core)].cluster = k;
  }
}

CoreId BlockSeats::take(CoreType type, const BlockNeeds& needs, int share) {
  const CoreId core = type == CoreType::kMix ? find_cluster() : find(pool(type, share), needs);
  if (core == kNoCore) return kNoCore;
  change(core, type, needs, 1);
  return core;
}

void BlockSeats::give_back(CoreId core, CoreType type, const BlockNeeds& needs) { change(core, type, needs, -1); }

std::span<const CoreId> BlockSeats::taken(CoreId core, CoreType type) const {
  const Core& at = cores_[index(core)];
  return type == CoreType::kMix ? std::span(clusters_[at.cluster]) : std::span(&at.id, 1);
}

namespace {

/// Whether a core with other blocks, which take `taken` bytes of the `divided` ones, is divided such that the block fits, too.
bool is_divided_for(std::int64_t divided, std::int64_t taken, const BlockNeeds& needs) {
  return divided >= needs.carveout.least && divided <= needs.carveout.most && taken + needs.shared_memory <= divided;
}

}  // namespace

bool BlockSeats::has_room(const Core& core, const BlockNeeds& needs) const {
  const auto within = [](std::int64_t sum, std::int64_t limit) { return limit == 0 || sum <= limit; };
  return !core.whole && within(core.blocks + 1, limits_.blocks) && within(core.threads + needs.threads, limits_.threads) &&
         within(core.registers + needs.registers, limits_.registers) &&
         within(core.shared_memory + needs.shared_memory, limits_.shared_memory) &&
         (core.blocks == 0 || limits_.carveouts.empty() || is_divided_for(core.divided, core.shared_memory, needs));
}

bool BlockSeats::take_cluster(CoreType type, const BlockNeeds& needs, int size, int share, std::vector<CoreId>& taken) {
  const std::size_t own = pool(type, share);
  std::vector<CoreId> best;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (const std::vector<CoreId>& group : groups_) {
    std::vector<CoreId> room;
    std::ranges::copy_if(group, std::back_inserter(room), [&](CoreId id) {
      const Core& core = cores_[index(id)];
      return core.pool == own && (needs.whole_core ? core.blocks == 0 : has_room(core, needs));
    });
    if (room.size() < static_cast<std::size_t>(size)) continue;
    std::ranges::stable_sort(room, std::less{}, [this](CoreId id) { return cores_[index(id)].blocks; });
    room.resize(static_cast<std::size_t>(size));
    if (const std::uint32_t blocks = cores_[index(room.back())].blocks; blocks < fewest) {
      fewest = blocks;
      best = std::move(room);
    }
  }
  for (const CoreId core : best) change(core, type, needs, 1);
  taken.insert(taken.end(), best.begin(), best.end());
  return !best.empty();
}

CoreId BlockSeats::find(std::size_t pool, const BlockNeeds& needs) const {
  const std::vector<CoreSet>& levels = by_blocks_[pool];
  const std::size_t most = needs.whole_core ? std::min<std::size_t>(1, levels.size()) : levels.size();
  for (std::size_t blocks = 0; blocks < most; ++blocks) {
    for (std::size_t word = 0; word < levels[blocks].size(); ++word) {
      for (std::uint64_t bits = levels[blocks][word]; bits != 0; bits &= bits - 1) {
        const Core& core = cores_[word * kBits + static_cast<std::size_t>(std::countr_zero(bits))];
        if (needs.whole_core || has_room(core, needs)) return core.id;
      }
    }
  }
  return kNoCore;
}

CoreId BlockSeats::find_cluster() const {
  const auto empty = [this](const std::vector<CoreId>& cluster) {
    return std::ranges::all_of(cluster, [this](CoreId core) { return cores_[index(core)].blocks == 0; });
  };
  const auto found = std::ranges::find_if(clusters_, empty);
  return found == clusters_.end() ? kNoCore : found->front();
}

void BlockSeats::change(CoreId core, CoreType type, const BlockNeeds& needs, int sign) {
  if (type != CoreType::kMix) return add(cores_[index(core)], needs, sign);
  for (const CoreId id : taken(core, type)) add(cores_[index(id)], {.whole_core = true}, sign);
}

void BlockSeats::add(Core& core, const BlockNeeds& needs, int sign) {
  toggle(core);
  core.blocks += static_cast<std::uint32_t>(sign);
  toggle(core);
  core.whole = sign > 0 && needs.whole_core;
  if (sign > 0 && core.blocks == 1) core.divided = needs.carveout.chosen;
  core.threads += sign * needs.threads;
  core.registers += sign * needs.registers;
  core.shared_memory += sign * needs.shared_memory;
}

/// Puts the core among those with as many blocks, or takes it out.
void BlockSeats::toggle(const Core& core) {
  std::vector<CoreSet>& levels = by_blocks_[core.pool];
  if (core.blocks >= levels.size()) levels.resize(core.blocks + 1, CoreSet(cores_.size() / kBits + 1, 0));
  const std::size_t i = index(core.id);
  levels[core.blocks][i / kBits] ^= std::uint64_t{1} << i % kBits;
}

}  // namespace tasktwin
