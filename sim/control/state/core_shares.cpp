#include "sim/control/state/core_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "models/base/error.hpp"
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

CoreShares::CoreShares(const WiringInputs& inputs, std::size_t dispatchers) : dispatchers_(dispatchers) {
  const std::span<const CoreType> types = inputs.cores;
  const std::size_t shares = inputs.design.ownership == Ownership::kShared ? 1 : dispatchers;
  const auto whole = clusters(inputs.machine.compute_cores, types);
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
        CoreShare{.owned = OwnedCores(types, std::move(cores[share]), inputs.design.mailbox_depth), .clusters = {}, .dispatchers = {}});
    for (std::size_t k = share; k < whole.size(); k += shares) made.clusters.push_back(whole[k]);
    for (std::uint32_t d = share; d < dispatchers; d += static_cast<std::uint32_t>(shares)) made.dispatchers.push_back(d);
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

void CoreShares::check_fits(const WiringInputs& inputs) const {
  if (!inputs.graph.has_wide_tasks() || inputs.design.gang == Gang::kApart) return;
  for (std::size_t i = 0; i < inputs.graph.size(); ++i) {
    const TaskId task = task_id(i);
    const CoreType type = inputs.graph[task].core_type;
    const auto blocks = static_cast<std::size_t>(inputs.graph.traits(task).blocks);
    if (blocks == 1) continue;
    const std::size_t most = most_of_one(type);
    const bool one_queue = inputs.design.ready_queue == ReadyQueue::kShared || inputs.design.ready_queue == ReadyQueue::kPerCoreType;
    if (blocks <= most || one_queue) continue;
    throw InputError("task '" + std::string(inputs.graph.name(task)) + "' needs " + std::to_string(blocks) + " cores of type '" +
                     std::string(to_word(type)) + "' at once; under design '" + inputs.design.name + "' a dispatcher owns at most " +
                     std::to_string(most) +
                     " (ownership 'shared' would give it all, and ready_queue 'shared' or 'per_core_type' let one dispatcher place it on "
                     "the cores of all)");
  }
}

}  // namespace tasktwin::sim
