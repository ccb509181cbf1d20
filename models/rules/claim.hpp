#pragma once

#include <cstdint>

#include "models/axes/queues.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::rules {

/// How much those who take from a ready queue claim at a time. A task of several blocks counts once for each: claims are divided among
/// cores, and each block needs one.
struct ClaimRule {
  Claim kind;
  std::uint32_t size;    ///< Design::claim_size
  std::uint32_t takers;  ///< workers of a core type, dispatchers or scheduler kernels that share what is unclaimed
};

/// How many blocks the next operation on a ready queue takes, if there are that many: all that the taker can use at once, a fixed number,
/// or, guided, what is unclaimed over twice the takers, at least `size` (guided self-scheduling: Polychronopoulos and Kuck, IEEE
/// Transactions on Computers 36(12), 1987; over twice the takers, since claims of equal share leave nothing to even out the end).
/// `unclaimed` are the takers' blocks of the run that are not claimed, ready or not: claims shrink toward the run's end, not with
/// every lull of the queue.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t claim_size(const ClaimRule& rule, std::uint32_t unclaimed, std::uint32_t usable) {
  switch (rule.kind) {
    case Claim::kAll:
      return usable;
    case Claim::kFixed:
      return rule.size;
    case Claim::kGuided: {
      const std::uint32_t share = unclaimed / (2 * rule.takers);
      return share > rule.size ? share : rule.size;
    }
  }
  return rule.size;
}

/// The tasks of the largest graph that a scheduler kernel launches, each of one block. Graphs are instantiated beforehand and launched
/// whole, so a guided claim fills the machine at most.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t largest_batch(const ClaimRule& rule, std::uint32_t cores) {
  if (rule.kind == Claim::kAll) return cores;
  return rule.kind == Claim::kGuided && cores > rule.size ? cores : rule.size;
}

/// The tasks that it launches next, if that many are ready; `largest` is largest_batch(), or all there are.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t next_batch(const ClaimRule& rule, std::uint32_t unclaimed, std::uint32_t largest) {
  const std::uint32_t size = claim_size(rule, unclaimed, largest);
  return size < largest ? size : largest;
}

}  // namespace tasktwin::rules
