#pragma once

#include <cstdint>
#include <span>

#include "models/machine/machine.hpp"
#include "sim/control/hand_over/early_tasks.hpp"
#include "sim/control/hand_over/mailbox_hops.hpp"
#include "sim/control/state/dispatch_queues.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/control/state/lanes.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/control/state/queue_access.hpp"
#include "sim/cores/core.hpp"
#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// What one control core hands over together.
struct Round {
  std::uint32_t by = 0;
  TimePoint begin{};
  std::int64_t limit = 0;     ///< tasks, or blocks of them
  Nanoseconds claim{};        ///< of taking from the queue, once
  Duration in_queues{};       ///< so far, of operations on queues
  std::int64_t handed = 0;    ///< so far
  std::int64_t staged = 0;    ///< of these, that are not ready
  std::uint32_t blocked = 0;  ///< types whose first task waits for more idle cores, as bits
  std::uint32_t charged = 0;  ///< types of the queue already operated on, as bits

  bool is_full() const { return handed >= limit; }
};

/// How a task comes from a queue into a core's mailbox, and when.
class Deliveries {
 public:
  /// Contract: what is passed by reference outlives this.
  struct Parts {
    const mechanism::ControlLoop& times;
    const mechanism::Mailboxes& hops;
    DispatchQueues& queues;
    QueueAccess& access;
    Mailboxes& mailboxes;
    BlockCounts& blocks;
    EarlyTasks& early;
    Cores& cores;
    RunEvents& events;
  };
  Deliveries(const Parts& parts, Lanes lanes, std::uint64_t chance);

  /// The first task of a queue. Contract: there is one.
  TaskId take(Round& round, std::size_t shard, CoreType type);
  /// Pays for the operation on the queue: once a round for a queue of many, each time for one core's own.
  void claim(Round& round, std::size_t shard, CoreType type);
  /// `others` further control cores see that this one places tasks on their cores, and each says so.
  void agree(Round& round, std::size_t others);
  /// `further` blocks of the queue's first task, which stays there or has been taken, are handed over beside the one taken with it.
  void count_blocks(std::size_t further) { parts_.blocks.taken += further; }
  /// `task`, or a block of it, to `core`. Contract: it has room.
  void hand(Round& round, std::uint32_t core, TaskId task);
  void hand(Round& round, std::span<const std::uint32_t> cores, TaskId task) {
    for (const std::uint32_t core : cores) hand(round, core, task);
  }
  /// A task that is not ready, or a block of it, to a core where it waits for its doorbell.
  void hand_early(Round& round, std::uint32_t core, TaskId task);
  /// Rings on all of these for a task that is ready since `now`; returns when the control core has done so.
  TimePoint ring(TaskId task, std::span<const std::uint32_t> cores, TimePoint now);
  /// When all of the round is handed over.
  TimePoint end(const Round& round) const { return until(round, lanes_.rounds(round.handed)); }

 private:
  TimePoint put(Round& round, std::uint32_t core, TaskId task);
  TimePoint until(const Round& round, std::int64_t nth) const;

  Parts parts_;
  Lanes lanes_;
  MailboxHops hops_;
};

}  // namespace tasktwin::sim
