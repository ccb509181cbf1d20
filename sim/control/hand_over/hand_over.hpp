#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/control/hand_over/core_choice.hpp"
#include "sim/control/hand_over/deliveries.hpp"
#include "sim/control/intake/iteration.hpp"
#include "sim/control/state/queue_access.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// What a control core hands over in one round, and what it does if that was nothing: wait for a lock in vain, or steal.
class HandOver {
 public:
  /// Contract: what is passed by reference outlives this.
  struct Parts {
    const TaskGraph& graph;
    const Design& design;
    std::span<const CoreType> cores;  ///< by CoreId
    const CoreShares& shares;
    DispatchQueues& queues;
    QueueAccess& access;
    const FillRule& fill;
    const BlockCounts& blocks;
    EarlyTasks& early;
    Deliveries& deliveries;
    RunEvents& events;
  };
  /// `claim`: what taking from the queue takes in a round.
  HandOver(const Parts& parts, std::unique_ptr<Giver> giver, std::unique_ptr<CoreChoice> choice, Nanoseconds claim);

  struct Result {
    TimePoint end;
    bool again = false;  ///< another round begins then
  };
  Result round(std::uint32_t id, Iteration& iteration, TimePoint now);

 private:
  bool comes_late(std::uint32_t id, TimePoint now) const;
  std::int64_t limit() const;
  bool fills_ahead(std::uint32_t id, const Iteration& iteration) const;
  void hand_missing(Round& round);
  void hand_early(Round& round);
  void hand_early(Round& round, TaskId task);
  void hand_early_behind(Round& round, TaskId task);
  bool waits(std::uint32_t by, CoreType type) const;
  void hand_given(Round& round, std::vector<TaskId>& given);
  DispatchQueues::Theft steal(std::uint32_t id, TimePoint now);

  Parts parts_;
  std::unique_ptr<Giver> giver_;
  std::unique_ptr<CoreChoice> choice_;
  Nanoseconds claim_;
  std::vector<DispatchQueues::Theft> thefts_;  ///< in flight, by control core
};

}  // namespace tasktwin::sim
