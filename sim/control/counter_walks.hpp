#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/counter_lines.hpp"
#include "models/machine.hpp"
#include "models/task_graph.hpp"
#include "models/timeline.hpp"

namespace tasktwin::sim {

/// How several control cores of one lane walk along the dependency counters of successors, ControlLoop::resolve for each, which they take
/// from each other's caches line by line. Who comes to a line that another has asked for last asks for it and has it
/// ControlLoop::resolve_line later, behind those who have asked before. For half of that it is on its way to who asked; until it goes, the
/// one who has it goes on in it. (Of several threads at one line an H200's host lets one decrement every 17 to 20 ns, however many they
/// are, where one alone takes 7 to 9 and a line 105 to 120 to come; four that walk along 4 lines together take 31 to 39 ns each for a
/// decrement, along 8 lines 26; here it is 16 to 20, 35 and 23.)
class CounterWalks {
 public:
  /// Nothing where control cores of `lanes` lanes have nothing to take from each other.
  static std::optional<CounterWalks> where_needed(std::size_t tasks, std::size_t control_cores, std::int64_t lanes,
                                                  const mechanism::ControlLoop& loop) {
    if (lanes > 1 || control_cores <= 1 || loop.resolve_line == Nanoseconds{0}) return std::nullopt;
    return CounterWalks(tasks, control_cores, loop);
  }

  CounterWalks(std::size_t tasks, std::size_t control_cores, const mechanism::ControlLoop& loop)
      : resolve_(loop.resolve),
        line_hop_(round_ns(loop.resolve_line)),
        half_hop_(line_hop_ / 2),
        lines_(tasks / kCountersPerLine + 1),
        walks_(control_cores) {}

  /// `who` is to tell the successors of `completed`.
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

  /// `who` goes on at `now`, with as many decrements as nobody can take the line away from before. Returns when they are done; nothing if
  /// there were none left.
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
