#pragma once

#include <cstdint>
#include <span>

#include "models/base/sparse.hpp"
#include "models/base/zeroed.hpp"
#include "models/design/design.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/cores/core_rings.hpp"

namespace tasktwin::sim {

/// The tasks that a core holds, as the control cores know it.
struct CoreLoad {
  int held = 0;
  Duration expected{};  ///< their durations together
};

/// What each core's mailbox holds, as the control cores know it: tasks handed over whose completions none of them has released. Keeps
/// OwnedCores up to date.
class Mailboxes {
 public:
  /// `durations` expected, by TaskId. Contract: what is passed outlives this.
  Mailboxes(CoreShares& shares, std::span<const Duration> durations, std::size_t cores, int depth)
      : shares_(shares), durations_(durations), mailboxes_(cores), tasks_(cores, depth), loads_(cores) {}

  std::uint32_t held(std::uint32_t core) const { return mailboxes_[core].held; }
  bool closed(std::uint32_t core) const { return mailboxes_[core].closed; }
  /// Whether all that the core holds has completed and been seen.
  bool drained(std::uint32_t core) const { return mailboxes_[core].seen == mailboxes_[core].held; }
  /// By CoreId.
  std::span<const CoreLoad> loads() const { return {loads_.data(), loads_.size()}; }

  /// Contract: less than Design::mailbox_depth are held.
  void put(std::uint32_t core, TaskId task) {
    Mailbox& mailbox = mailboxes_[core];
    tasks_.at(core, mailbox.next) = task;
    mailbox.next = tasks_.after(mailbox.next);
    hold(core, mailbox, mailbox.held + 1, durations_[index(task)]);
  }
  /// From now on the core counts as full, whatever it holds.
  void close(std::uint32_t core) {
    mailboxes_[core].closed = true;
    shares_[shares_.of(core)].owned.move(core, mailboxes_[core].held, tasks_.depth());
  }
  /// No longer. Contract: it was closed.
  void open(std::uint32_t core) {
    mailboxes_[core].closed = false;
    shares_[shares_.of(core)].owned.move(core, tasks_.depth(), mailboxes_[core].held);
  }
  /// A completion of the core is seen; returns whose.
  TaskId see(std::uint32_t core) {
    Mailbox& mailbox = mailboxes_[core];
    const TaskId task = tasks_.at(core, mailbox.first);
    mailbox.first = tasks_.after(mailbox.first);
    ++mailbox.seen;
    return task;
  }
  /// The completion of `task`, seen before, is released.
  void release(std::uint32_t core, TaskId task) {
    Mailbox& mailbox = mailboxes_[core];
    --mailbox.seen;
    hold(core, mailbox, mailbox.held - 1, -durations_[index(task)]);
  }

 private:
  struct Mailbox {
    std::uint32_t first = 0;  ///< where the next completion belongs
    std::uint32_t next = 0;   ///< where the next task goes
    std::uint32_t held = 0;
    std::uint32_t seen = 0;  ///< completions of those held
    bool closed = false;     ///< it takes no further task
  };

  void hold(std::uint32_t core, Mailbox& mailbox, std::uint32_t held, Duration further) {
    if (!mailbox.closed) shares_[shares_.of(core)].owned.move(core, mailbox.held, held);
    mailbox.held = held;
    loads_[core] = {static_cast<int>(held), loads_[core].expected + further};
  }

  CoreShares& shares_;
  std::span<const Duration> durations_;
  Sparse<Mailbox> mailboxes_;  ///< by CoreId
  CoreRings<TaskId> tasks_;
  Zeroed<CoreLoad> loads_;  ///< by CoreId
};

}  // namespace tasktwin::sim
