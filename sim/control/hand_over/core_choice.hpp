#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "models/policies/policies.hpp"
#include "sim/control/hand_over/givers.hpp"
#include "sim/control/state/fill_rules.hpp"

namespace tasktwin::sim {

/// Which cores of a control core get what waits in its queues.
class CoreChoice {
 public:
  virtual ~CoreChoice() = default;
  /// `ahead`: cores that hold a task may be given another.
  virtual void hand_out(Round& round, bool ahead) = 0;
};

/// What a choice looks at. Contract: outlives it.
struct ChoiceParts {
  std::span<const CoreType> cores;  ///< by CoreId
  const CoreShares& shares;
  const DispatchQueues& queues;
  const Mailboxes& mailboxes;
  const FillRule& fill;
  Deliveries& deliveries;
  Giver& giver;
};

/// One task to each idle core, then one to each that holds one, and so on as far as the fill rule lets it.
std::unique_ptr<CoreChoice> make_choice_by_level(const ChoiceParts& parts);

/// The same, but where there is enough for all cores with room, each gets tasks that are neighbours in the queue.
/// Contract: one queue, all cores of one type.
/// Strictly in the order of the queue.
std::unique_ptr<CoreChoice> make_choice_in_order(const ChoiceParts& parts);
std::unique_ptr<CoreChoice> make_choice_in_runs(const ChoiceParts& parts);

/// Each task to the core that `policy` chooses among those with room.
std::unique_ptr<CoreChoice> make_choice_by_policy(const ChoiceParts& parts, std::unique_ptr<CorePolicy> policy);

}  // namespace tasktwin::sim
