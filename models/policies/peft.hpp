#pragma once

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

/// By task · workers + worker: the shortest way from a task's end to the end of the graph, over its costliest successor, if
/// the task runs on that worker, every later task on its best one, and no task waits for a worker. Also for workers that
/// cannot run the task itself.
std::vector<std::int64_t> optimistic_costs(const StaticInputs& inputs);

/// optimistic_costs averaged over the workers that can run the task, by TaskId.
std::vector<double> optimistic_ranks(const StaticInputs& inputs, const std::vector<std::int64_t>& costs);

/// Predict Earliest Finish Time (Arabnejad, Barbosa: "List scheduling algorithm for heterogeneous systems by an optimistic
/// cost table", IEEE TPDS 25(3), 2014): of the ready tasks always the one with the highest optimistic rank, to the worker on
/// which its earliest finish (with insertion) plus its optimistic cost is least; ties go to the first in topological order and to
/// the lowest worker. O((edges + tasks) · workers) time, times the gaps looked at; 8 · tasks · workers bytes.
StaticSchedule peft(const StaticInputs& inputs);

}  // namespace tasktwin
