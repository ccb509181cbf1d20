#pragma once

#include <memory>

#include "sim/control/intake/iteration.hpp"
#include "sim/control/state/dispatch_queues.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/control/state/mailboxes.hpp"

namespace tasktwin::sim {

/// Which tasks a control core gives to its own idle cores without taking them from the queue as it hands over.
class Passing {
 public:
  virtual ~Passing() = default;
  /// Serves tasks that wait when the intake of completions begins. Returns how long that takes.
  virtual Nanoseconds serve_waiting(Iteration& iteration, const OwnedCores& owned) = 0;
  /// Serves tasks that the completions made ready. Returns how long finding cores for them takes.
  virtual Nanoseconds pass_on(Iteration& iteration, const OwnedCores& owned) = 0;
};

/// Every task goes through a queue.
std::unique_ptr<Passing> make_passing_through_queue();

/// All waiting tasks, if there are idle cores for them; then tasks that heads of rows of successors made ready, as far as idle cores reach.
/// A core whose completion makes tasks ready gets one of them; finding cores for the others costs pass_on per round, in which each
/// completion hands over one task. The queue is not used in that iteration unless tasks are left over, or may be beyond heads.
/// Contract: one queue without a lock, all cores of `type`; what is passed by reference outlives it.
std::unique_ptr<Passing> make_passing_past_queue(const mechanism::ControlLoop& times, CoreType type, DispatchQueues& queues,
                                                 const Mailboxes& mailboxes, BlockCounts& blocks);

}  // namespace tasktwin::sim
