#pragma once

#include <cstdint>
#include <vector>

#include "models/counter_lines.hpp"
#include "models/timeline.hpp"

namespace tasktwin::sim {

/// Who of several control cores has which cache line of dependency counters. One that comes to a line gets it late if another has had it
/// since, or works at the same time on successors of which some lie there: the two then take it from each other row after row.
class LineOwners {
 public:
  LineOwners(std::size_t tasks, std::size_t control_cores) : lines_(tasks / kCountersPerLine + 1), busy_until_(control_cores) {}

  /// `who` decrements a counter of `line` at `now`; returns whether the line comes late.
  bool touch(std::uint32_t who, std::uint32_t line, TimePoint now) {
    Line& owned = lines_[line];
    if (owned.last != who) {
      owned = {who, owned.last};
      return true;
    }
    return owned.before != kNobody && busy_until_[owned.before] > now;
  }

  /// `who` is through with all its rows at `end`.
  void finish(std::uint32_t who, TimePoint end) { busy_until_[who] = end; }

 private:
  static constexpr std::uint32_t kNobody = ~0u;

  struct Line {
    std::uint32_t last = kNobody;
    std::uint32_t before = kNobody;  ///< another
  };

  std::vector<Line> lines_;
  std::vector<TimePoint> busy_until_;  ///< by control core
};

}  // namespace tasktwin::sim
