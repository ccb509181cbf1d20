#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

/// What a run would take if one thing were another.
struct Change {
  std::string of;    ///< the axis, the way of launching, or the constant
  std::string what;  ///< "placement 'heft' in place of 'cpop'", "device_mailboxes.hop_ns 450 in place of 900"
  Duration makespan{};
};

struct Changes {
  /// Axes of the design, of each the best of every other word, or of half and twice the number; of a captured program other ways to
  /// launch it (what_if.hpp). The shortest run first.
  std::vector<Change> axes;
  std::vector<Change> constants;  ///< of the machine, each at half
  std::size_t tried = 0;          ///< changes that could run
  bool is_one_graph = false;      ///< of a captured program, which no other way launches then
  std::size_t blocking = 0;       ///< calls of a captured program that block, where the other ways to launch it do not
};

/// Larger graphs are not tried: the design is simulated once for each change. Tasks count once for each device of their graph, on whose
/// links they meet.
inline constexpr std::size_t kMostTasksOfChanges = 20'000;

/// The changes that shorten the run, one at a time; of axes only those whose design the machine and the graph allow. `makespan` is the
/// run's own. Throws Interrupted.
Changes best_changes(const scenarios::Scenario& scenario, const Design& design, Duration makespan, std::uint64_t seed, Progress& progress);

}  // namespace tasktwin::verify
