#pragma once

#include <algorithm>

#include "models/machine.hpp"

namespace tasktwin::sim {

/// Fences that the memory system serves together, in rounds of Mailboxes::fence_round: one that nobody else's is under way beside takes its
/// own time, and one that comes meanwhile ends with the first round that leaves it as much. A round of 0: each ends by itself.
/// See docs/model/mailboxes.md.
class FenceRounds {
 public:
  explicit FenceRounds(Nanoseconds round) : round_(round_ns(round)) {}

  /// When a fence ends that begins at `begin`, and alone would at `alone`. Those told later may begin earlier: rounds reach back as well.
  TimePoint end(TimePoint begin, TimePoint alone) {
    if (round_ == Duration{0}) return alone;
    if (begin >= last_end_) a_round_ends_ = alone;
    const Duration behind = alone - a_round_ends_;
    Duration rounds = behind / round_ * round_;
    if (rounds < behind) rounds += round_;
    const TimePoint end = a_round_ends_ + rounds;
    last_end_ = std::max(last_end_, end);
    return end;
  }

 private:
  Duration round_;
  TimePoint a_round_ends_{};
  TimePoint last_end_{};
};

}  // namespace tasktwin::sim
