#pragma once

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// The adjusted median cost of each task, by TaskId: the median over all workers, the lower of the middle two, where a worker
/// that cannot run the task counts as the dearest of those that can.
std::vector<std::int64_t> median_costs(const StaticInputs& inputs);

/// The costliest way from each task to the end at `costs`, its own included and communication left out.
std::vector<std::int64_t> static_levels(const TaskGraph& graph, const std::vector<std::int64_t>& costs);

/// Dynamic Level Scheduling (Sih, Lee: "A compile-time scheduling heuristic for interconnection-constrained heterogeneous
/// processor architectures", IEEE TPDS 4(2), 1993): always the ready task and worker with the highest dynamic level
///     static level − max(inputs arrived at the worker, worker free) + (median cost − cost on the worker).
/// Messages do not contend. Ties, and what it costs: pair_selection.hpp.
StaticSchedule dls(const StaticInputs& inputs);

}  // namespace tasktwin
