#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::gpu {

/// How a graph is run.
struct RunOptions {
  int repeats = 5;                           ///< timed runs, each once with phase stamps and once without
  int order_checks = 1;                      ///< runs before them in which every body checks that its predecessors are done
  bool rounds = false;                       ///< whether, in a further run, dispatchers' rounds are timed without phase stamps
  bool stamps = true;                        ///< whether timed runs are made with phase stamps too; else no timeline comes of them
  std::chrono::milliseconds watchdog{5000};  ///< a run without progress for so long is aborted and explained
  bool check_results = true;                 ///< whether real kernels' numbers are held against the CPU's
  const Timeline* replayed = nullptr;        ///< what placement `replay` follows
  std::uint64_t seed = 1;                    ///< which predicates hold (draw_outcome), the same in every run
  int queue_places = 0;                      ///< of a queue that workers push to; 0 for as many as are of use
  const FrozenSchedule* lists = nullptr;     ///< the workers' lists, in place of what a frozen placement gives
  /// Where to put, by name, what the buffers of a scenario's own kernels hold after the last order check; null for nowhere.
  std::map<std::string, std::vector<std::byte>>* kept_buffers = nullptr;
  /// By name, what such buffers hold when a run begins, in place of what they are filled with; null for none.
  const std::map<std::string, std::vector<std::byte>>* first_contents = nullptr;

  // Sabotage, for tests of the checks themselves.
  std::vector<std::pair<TaskId, TaskId>> ignored_edges{};  ///< no task waits for these, but the order check still looks
  std::vector<TaskId> never_released{};                    ///< wait for one predecessor more than they have
  bool unproved_lists = false;                             ///< launches `lists` though they deadlock

  bool ignores(TaskId from, TaskId to) const { return std::ranges::find(ignored_edges, std::pair(from, to)) != ignored_edges.end(); }
};

/// One round of a control core's loop in which it did something.
struct DispatchRound {
  Duration sweep{};
  Duration serve{};  ///< taking what waited for cores that have become idle, where it does that first
  Duration resolve{};
  Duration push{};   ///< to the queue, a part of resolve; where dispatchers are threads of the host
  Duration claim{};  ///< taking from the queue; part of hand_over where dispatchers are threads of the host
  Duration hand_over{};
  int completions = 0;
  int edges = 0;    ///< decremented
  int lines = 0;    ///< cache lines of their counters (CounterLines), where dispatchers are threads of the host
  int rows = 0;     ///< of as many of them as there are lanes, beyond the heads of tasks' rows
  int turns = 0;    ///< in which tasks went past the queue to other cores than those whose completions made them ready
  int claimed = 0;  ///< tasks in the queue that it took from
  int claims = 0;   ///< operations in which it took, where dispatchers are threads of the host
  int released = 0;
  int handed_over = 0;
};

/// What is made again where the host was unsteady meanwhile.
enum class Again { kRunsAndSeries, kSeries, kNothing };

}  // namespace tasktwin::gpu
