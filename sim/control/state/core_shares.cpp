#include "sim/control/state/core_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "models/machine/clusters.hpp"

namespace tasktwin::sim {

namespace {

constexpr CoreShares::Number kUnassigned = std::numeric_limits<CoreShares::Number>::max();

std::vector<CoreShares::Number> deal_out(const std::vector<std::vector<CoreId>>& whole, std::size_t cores, std::size_t shares) {
  std::vector<CoreShares::Number> share_of(cores, kUnassigned);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    for (const CoreId core : whole[k]) share_of[index(core)] = static_cast<CoreShares::Number>(k % shares);
  }
  CoreShares::Number next = 0;
  for (CoreShares::Number& share : share_of) {
    if (share != kUnassigned) continue;
    share = next++;
    if (next == shares) next = 0;
  }
  return share_of;
}

}  // namespace

CoreShares::CoreShares(const Machine& machine, const Design& design, std::span<const CoreType> types)
    : dispatchers_(static_cast<std::size_t>(dispatcher_count(design, machine))) {
  const std::size_t shares = design.ownership == Ownership::kShared ? 1 : dispatchers_;
  const auto whole = clusters(machine.compute_cores, types);
  std::vector<std::vector<std::uint32_t>> cores(shares);
  if (shares == 1) {
    cores.front().resize(types.size());
    std::iota(cores.front().begin(), cores.front().end(), 0U);
  } else {
    share_of_ = deal_out(whole, types.size(), shares);
    for (std::vector<std::uint32_t>& of_share : cores) of_share.reserve(types.size() / shares + 1);
    for (std::uint32_t core = 0; core < types.size(); ++core) cores[share_of_[core]].push_back(core);
  }
  for (std::uint32_t share = 0; share < shares; ++share) {
    CoreShare& made = shares_.emplace_back(
        CoreShare{.owned = OwnedCores(types, std::move(cores[share]), design.mailbox_depth), .clusters = {}, .dispatchers = {}});
    for (std::size_t k = share; k < whole.size(); k += shares) made.clusters.push_back(whole[k]);
    for (std::uint32_t d = share; d < dispatchers_; d += static_cast<std::uint32_t>(shares)) made.dispatchers.push_back(d);
    for (unsigned type = 0; type < kCoreTypeCount; ++type) most_[type] = std::max(most_[type], made.owned.idle(CoreType(type)));
  }
}

std::vector<CoreCounts> CoreShares::core_counts() const {
  std::vector<CoreCounts> counts(dispatchers_);
  for (std::size_t d = 0; d < dispatchers_; ++d) {
    const CoreShare& share = of_dispatcher(d);
    for (unsigned type = 0; type < kCoreTypeCount; ++type) counts[d][type] = share.owned.idle(CoreType(type));
    counts[d][static_cast<std::size_t>(CoreType::kMix)] = share.clusters.size();
  }
  return counts;
}

}  // namespace tasktwin::sim
