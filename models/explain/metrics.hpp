#pragma once

#include <vector>

#include "models/run/timeline.hpp"

namespace tasktwin {

/// What a Timeline says about a schedule. Shares are fractions of the makespan, 0 to 1.
struct Metrics {
  Duration makespan{};
  std::vector<double> core_busy_shares;        ///< by the CoreId that bodies run on (Timeline::body_cores): some body running there
  std::vector<double> dispatcher_busy_shares;  ///< by DispatcherId
  double core_busy_share = 0;                  ///< mean over all compute cores of the machine, also those that the design does not use
  double dispatcher_busy_share = 0;            ///< mean over the dispatchers; 0 where there are none
  double load_imbalance = 0;                   ///< busiest core's busy time over the least it could be, minus 1; 0 for an even load
  double overhead_share = 0;                   ///< core time spent idle while ready work for that core type existed
  double mean_queue_length = 0;                ///< ready tasks not yet taken, over time; 0 where not observed
  int max_queue_length = 0;
};

/// The least that the busiest core of a type could be busy: the mean over the cores of that type, or the longest body there, whichever is
/// longer; `load_imbalance` is the largest over the types. A kernel whose place was not observed counts as alone on cores of its own.
/// `overhead_share` takes a task as ready from its `ready` phase where observed, else from its last predecessor's
/// published (ended) time, and a core as idle while no body runs on it. Tasks that do not exist count nowhere.
Metrics measure(const TaskGraph& graph, const Timeline& timeline);

}  // namespace tasktwin
