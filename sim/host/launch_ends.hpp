#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::sim {

inline constexpr std::uint32_t kNoLaunch = ~0u;

/// When the launches of a pass over a plan have ended, each by its place in it.
class LaunchEnds {
 public:
  explicit LaunchEnds(std::size_t launches) : ends_(launches, kAbsent) {}

  void begin() {
    std::ranges::fill(ends_, kAbsent);
    ended_ = 0;
  }
  void ended(std::uint32_t launch, TimePoint now) {
    ends_[launch] = last_ = now;
    ++ended_;
  }

  /// kAbsent until it has ended.
  TimePoint of(std::uint32_t launch) const { return ends_[launch]; }
  /// The latest, of this pass or the one before.
  TimePoint last() const { return last_; }
  /// The latest of all, of which that many have been launched; kAbsent until all have ended.
  TimePoint of_all(std::uint32_t launched) const { return ended_ == launched ? last_ : kAbsent; }

 private:
  std::vector<TimePoint> ends_;
  std::uint32_t ended_ = 0;
  TimePoint last_{};
};

}  // namespace tasktwin::sim
