#pragma once

#include <cstdint>
#include <memory>

#include "sim/control/intake/iteration.hpp"
#include "sim/control/intake/passing.hpp"
#include "sim/control/intake/polling.hpp"
#include "sim/control/intake/successor_work.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/control/state/lanes.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/control/state/orchestrators.hpp"

namespace tasktwin::sim {

/// What a control core learns in an iteration: the completions it sees, what they make ready, and how long taking them in lasts.
class Intake {
 public:
  /// What it needs of a run. Contract: outlives it.
  struct Parts {
    CoreShares& shares;
    Mailboxes& mailboxes;
    EventSemaphores& semaphores;
    SuccessorWork& work;
    Orchestrators& orchestrators;
  };

  Intake(const Parts& parts, std::unique_ptr<Polling> polling, std::unique_ptr<Passing> passing, Lanes lanes, Nanoseconds complete,
         Nanoseconds first_complete);

  /// The iteration begins. Sets how long it is until `id` continues to the successors.
  void take_in(std::uint32_t id, Iteration& iteration);
  /// The cores have room again, and processors that wait for the completions learn of them.
  void release(std::uint32_t id, const Iteration& iteration, TimePoint now);

 private:
  void see(Iteration& iteration);

  Parts parts_;
  std::unique_ptr<Polling> polling_;
  std::unique_ptr<Passing> passing_;
  Lanes lanes_;
  Nanoseconds complete_;        ///< for each completion of a lane
  Nanoseconds first_complete_;  ///< added by the first of a sweep
};

}  // namespace tasktwin::sim
