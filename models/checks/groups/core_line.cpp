#include "models/checks/groups/core_line.hpp"

#include <cstdint>
#include <vector>

#include "models/cost/collective_flows.hpp"

namespace tasktwin {

namespace {

class CoreLine {
 public:
  explicit CoreLine(BlockSeats& seats) : seats_(seats) {}

  int place(const CoreClaim& claim) {
    std::vector<std::pair<CoreId, CoreType>> taken;
    int placed = 0;
    while (placed < claim.blocks && place_next(claim, taken)) placed += claim.cluster;
    if (placed >= claim.blocks) return claim.blocks;
    full_ |= pools(claim.type, claim.share) | pools(claim.other, claim.share);
    if (!claim.together) return placed;
    for (const auto& [core, type] : taken) seats_.give_back(core, type, claim.needs);
    return 0;
  }

 private:
  bool place_next(const CoreClaim& claim, std::vector<std::pair<CoreId, CoreType>>& taken) {
    if (claim.cluster > 1) {
      std::vector<CoreId> cores;
      if ((pools(claim.type, claim.share) & full_) != 0 || !seats_.take_cluster(claim.type, claim.needs, claim.cluster, claim.share, cores))
        return false;
      for (const CoreId core : cores) taken.emplace_back(core, claim.type);
      return true;
    }
    for (const CoreType type : {claim.type, claim.other}) {
      if ((pools(type, claim.share) & full_) != 0) continue;
      const CoreId core = seats_.take(type, claim.needs, claim.share);
      if (core == kNoCore) continue;
      taken.emplace_back(core, type);
      return true;
    }
    return false;
  }
  /// A bit for the cores of the type in the share. One for a cluster takes cores of all types.
  static std::uint64_t pools(CoreType type, int share) {
    if (type == CoreType::kMix) return ~std::uint64_t{0};
    return std::uint64_t{1} << (static_cast<std::size_t>(share) * kCoreTypeCount + static_cast<std::size_t>(type));
  }

  BlockSeats& seats_;
  std::uint64_t full_ = 0;
};

}  // namespace

CoreClaim claim_of(const TaskGraph& graph, const Machine& machine, const Design& design, const TaskShares& shares, TaskId id) {
  const Task& task = graph[id];
  const TaskTraits& traits = graph.traits(id);
  CoreClaim claim{.type = task.core_type, .other = task.core_type, .needs = {.whole_core = true}, .share = shares.of(id)};
  if (is_collective(task.operation)) {
    claim.blocks = rank_blocks(machine, task.cost.bytes.count, design.collective_blocks);
    return claim;
  }
  claim.other = traits.other_type.value_or(task.core_type);
  claim.needs = block_needs(traits, machine.core_limits);
  claim.blocks = traits.blocks;
  claim.cluster = traits.cluster;
  claim.together = traits.cooperative;
  return claim;
}

std::vector<int> place_in_line(BlockSeats seats, std::span<const CoreClaim* const> order) {
  CoreLine line(seats);
  std::vector<int> placed;
  for (const CoreClaim* const claim : order) placed.push_back(line.place(*claim));
  return placed;
}

}  // namespace tasktwin
