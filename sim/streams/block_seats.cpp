#include "sim/streams/block_seats.hpp"

#include <algorithm>
#include <bit>

#include "models/clusters.hpp"

namespace tasktwin::sim {

namespace {

constexpr std::int64_t kRegisterUnit = 256;
constexpr std::size_t kBits = 64;

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

BlockNeeds block_needs(const TaskTraits& traits) {
  if (traits.threads == 0 && traits.registers == 0 && traits.shared_memory == 0) return {.whole_core = true};
  const std::int64_t threads = round_up(traits.threads, kWarp);
  return {.threads = threads,
          .registers = threads / kWarp * round_up(traits.registers * kWarp, kRegisterUnit),
          .shared_memory = traits.shared_memory};
}

BlockSeats::BlockSeats(const Machine& machine, std::span<const CoreType> cores, std::span<const std::uint8_t> shares)
    : limits_(machine.core_limits), clusters_(clusters(machine, cores)) {
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

bool BlockSeats::has_room(const Core& core, const BlockNeeds& needs) const {
  const auto within = [](std::int64_t sum, std::int64_t limit) { return limit == 0 || sum <= limit; };
  return !core.whole && within(core.blocks + 1, limits_.blocks) && within(core.threads + needs.threads, limits_.threads) &&
         within(core.registers + needs.registers, limits_.registers) &&
         within(core.shared_memory + needs.shared_memory, limits_.shared_memory);
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

}  // namespace tasktwin::sim
