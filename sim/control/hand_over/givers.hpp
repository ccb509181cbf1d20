#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "sim/control/hand_over/deliveries.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/fill_rules.hpp"

namespace tasktwin::sim {

/// Which task, or which block of one, a core that has room is given: the first in its queues that may start on it.
class Giver {
 public:
  virtual ~Giver() = default;
  /// To a core that holds `level` tasks. Returns whether there was one.
  virtual bool give(Round& round, std::uint32_t core, std::uint32_t level) = 0;
  /// To clusters whose cores hold at most `level` tasks each, before single cores with so many are served; above 0 as far as the fill rule
  /// lets clusters be given tasks ahead.
  virtual void give_clusters(Round& /*round*/, std::uint32_t /*level*/) {}
  /// Idle cores of one cluster among those of `by` that a `mix` task can start on together; empty where there are none.
  virtual std::vector<std::uint32_t> idle_cluster(std::uint32_t /*by*/, TaskId /*task*/) const { return {}; }
};

/// What a giver looks at. Contract: outlives it.
struct GiverParts {
  const TaskGraph& graph;
  std::span<const CoreType> cores;  ///< by CoreId
  const CoreShares& shares;
  const DispatchQueues& queues;
  const Mailboxes& mailboxes;
  const FillRule& fill;
  Deliveries& deliveries;
};

/// Of a graph in which every task occupies one core, or of one in which some occupy several.
std::unique_ptr<Giver> make_giver(const GiverParts& parts, Gang gang);

}  // namespace tasktwin::sim
