#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/ids.hpp"
#include "models/base/random.hpp"
#include "models/base/zeroed.hpp"
#include "models/machine/machine.hpp"
#include "sim/engine/hop_spread.hpp"

namespace tasktwin::sim {

/// When a task written to a core's mailbox reaches the core. Where hops vary none overtakes the one before it.
class MailboxHops {
 public:
  /// Contract: `times` outlives this.
  MailboxHops(const mechanism::Mailboxes& times, std::uint64_t chance, std::size_t cores)
      : times_(times), seed_(mix(chance ^ kHops)), latest_(times.hop_sigma > Nanoseconds{0} ? cores : 0) {}

  TimePoint arrival(std::uint32_t core, TaskId task, TimePoint written) {
    TimePoint at = written + drawn_hop(times_.hop, times_.hop_sigma, seed_ ^ (index(task) << 12 | core));
    if (!latest_.empty()) latest_[core] = at = std::max(latest_[core], at);
    return at;
  }

 private:
  /// Keeps these draws apart from all others.
  static constexpr std::uint64_t kHops = 0x40b'5161a;

  const mechanism::Mailboxes& times_;
  std::uint64_t seed_;
  Zeroed<TimePoint> latest_;  ///< by CoreId; empty where hops are all alike
};

}  // namespace tasktwin::sim
