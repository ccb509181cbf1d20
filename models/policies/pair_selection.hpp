#pragma once

#include <functional>

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// Places, again and again, the ready task and worker whose
///     start(task, worker) + offset(task, worker)
/// is least, where start is when the task's inputs have arrived there and the worker has ended all it was given before (no
/// insertion). Ties go to the first task in topological order, then to the worker that is free first, then to the lowest.
/// Contract: workers with the same cost for every task have the same offset for each.
/// O(edges + tasks · (workers + classes · log tasks)), classes being those of workers with equal costs, plus
/// tasks · workers · classes comparisons of costs.
StaticSchedule select_pairs(const StaticInputs& inputs, const std::function<std::int64_t(TaskId, std::size_t worker)>& offset);

}  // namespace tasktwin
