#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "models/units.hpp"

namespace tasktwin::sim {

/// By how much bodies under way are held up, from moments on that are known beforehand; stalls that overlap pass together. A body that
/// starts at s and would end at e ends until(e) − until(s) later, and so on for what that takes.
class Stalls {
 public:
  /// Contract: `at` is not before what until() was last asked for.
  void add(TimePoint at, Duration by) { to_come_.emplace(at, by); }

  /// What a body has been held up by that has run since ever. Contract: called in the order of `now`.
  Duration until(TimePoint now) {
    for (; !to_come_.empty() && to_come_.top().first <= now; to_come_.pop()) {
      const auto [at, by] = to_come_.top();
      const TimePoint over = std::max(over_, at + by);
      sum_ += over - std::max(over_, at);
      over_ = over;
    }
    return sum_;
  }

 private:
  using Stall = std::pair<TimePoint, Duration>;

  std::priority_queue<Stall, std::vector<Stall>, std::greater<>> to_come_;
  Duration sum_{};
  TimePoint over_{};  ///< those so far
};

}  // namespace tasktwin::sim
