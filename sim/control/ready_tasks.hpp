#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/control/parking.hpp"
#include "sim/control/state/dispatch_queues.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/control/state/queue_access.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// How tasks that have become ready enter the queues, and when they are visible there.
class ReadyTasks {
 public:
  /// `tasks`: of the graph; 0 where there is no other dispatcher that could be offered some. Contract: what is passed outlives this.
  ReadyTasks(DispatchQueues& queues, QueueAccess& access, Parking& parking, RunEvents& events, std::size_t tasks);

  /// In a queue from the beginning on.
  void push_root(TaskId task);
  /// Of `ready`, those that follow each other and go to one queue do so in one operation. `by` is a dispatcher, or none where others
  /// push. Returns when the last operation is over.
  TimePoint push(std::optional<std::uint32_t> by, std::span<const TaskId> ready, TimePoint now);
  /// `by` has fewer idle cores of `types` (bits) than others thought, so these may fill ahead with what waits.
  void offer(std::uint32_t by, std::uint32_t types, TimePoint now);
  /// `by` has taken tasks: what heads a queue now may be for others (DispatchQueues::holds_up).
  void heads_taken(std::uint32_t by, TimePoint now) {
    if (queues_.holds_up()) offer(by, ~0u >> (32 - kCoreTypeCount), now);
  }

 private:
  DispatchQueues& queues_;
  QueueAccess& access_;
  Parking& parking_;
  RunEvents& events_;
  std::vector<TimePoint> stands_from_;  ///< by TaskId: its push is over; empty where it is not used
};

}  // namespace tasktwin::sim
