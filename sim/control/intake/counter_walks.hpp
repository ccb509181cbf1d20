#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/counter_lines.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// How several control cores of one lane walk along the dependency counters of successors, resolve for each, whose cache lines they take
/// from each other. A line has one owner; a core that touches a line it does not own waits for it, resolve_line long and after those who
/// have asked before. The line is in transit for half of that; until then its owner continues to use it.
class CounterWalks {
 public:
  CounterWalks(std::size_t tasks, std::size_t control_cores, const mechanism::ControlLoop& times)
      : resolve_(times.resolve),
        line_hop_(round_ns(times.resolve_line)),
        half_hop_(line_hop_ / 2),
        lines_(tasks / kCountersPerLine + 1),
        walks_(control_cores) {}

  /// `who` is to resolve the successors of `completed`.
  void begin(std::uint32_t who, const TaskGraph& graph, std::span<const TaskId> completed) {
    Walk& walk = walks_[who];
    walk.visits.clear();
    walk.next = 0;
    CounterLines lines;
    for (const TaskId task : completed) {
      for (const TaskId successor : graph.successors(task)) {
        if (lines.visit(static_cast<std::uint32_t>(index(successor)))) walk.visits.push_back({lines.last, 0});
        ++walk.visits.back().decrements;
      }
    }
  }

  /// `who` continues at `now`, with as many decrements as it can do before another can take the line. Returns when they are done; nothing
  /// if there were none left.
  std::optional<TimePoint> go_on(std::uint32_t who, TimePoint now) {
    Walk& walk = walks_[who];
    if (walk.next == walk.visits.size()) return std::nullopt;
    Visit& visit = walk.visits[walk.next];
    Line& line = lines_[visit.line];
    const bool still_has_it = line.before == who && now < line.comes - half_hop_;
    if (line.asked != who && !still_has_it) line = {.asked = who, .before = line.asked, .comes = std::max(now, line.comes) + line_hop_};
    const TimePoint begin = line.asked == who ? std::max(now, line.comes) : now;
    const TimePoint until = line.asked == who ? begin + half_hop_ : line.comes - half_hop_;  // it goes then at the earliest
    const double fit = resolve_ > Nanoseconds{0} ? std::max(1.0, std::ceil(Nanoseconds{until - begin} / resolve_)) : visit.decrements;
    const double done = std::min(visit.decrements, fit);
    visit.decrements -= done;
    if (visit.decrements == 0) ++walk.next;
    walk.owed += done * resolve_;
    const Duration whole{static_cast<std::int64_t>(walk.owed.count())};
    walk.owed -= whole;
    return begin + whole;
  }

 private:
  static constexpr std::uint32_t kNobody = ~0u;

  struct Line {
    std::uint32_t asked = kNobody;   ///< the last who did
    std::uint32_t before = kNobody;  ///< has it until then
    TimePoint comes{};               ///< to who asked
  };
  struct Visit {
    std::uint32_t line = 0;
    double decrements = 0;  ///< left
  };
  struct Walk {
    std::vector<Visit> visits;
    std::size_t next = 0;  ///< visit
    Nanoseconds owed{};    ///< less than a whole one, from steps before
  };

  Nanoseconds resolve_;
  Duration line_hop_;
  Duration half_hop_;
  std::vector<Line> lines_;
  std::vector<Walk> walks_;  ///< by control core
};

}  // namespace tasktwin::sim
