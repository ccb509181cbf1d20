#pragma once

#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// What each task's body took in a run, by TaskId: from started to ended, of a task on several cores the mean of its parts;
/// below 0 for one that did not run or was not observed.
std::vector<Duration> body_times(const Timeline& timeline);

/// The makespan of the run `timeline` had its bodies lasted `bodies` (by TaskId; below 0 for as they did) and everything
/// else taken as long as it did: each task starts as much after the later of its predecessors' last finish and the end of
/// the task before it on its core as it was seen to, and each completion is written as much after the body. With
/// body_times(timeline) of tasks on one core each it is the run's own.
Duration rescheduled_makespan(const TaskGraph& graph, const Timeline& timeline, std::span<const Duration> bodies);

}  // namespace tasktwin
