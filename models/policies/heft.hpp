#pragma once

#include <functional>
#include <vector>

#include "models/policies.hpp"

namespace tasktwin {

/// Heterogeneous Earliest Finish Time (Topcuoglu, Hariri, Wu: "Performance-effective and low-complexity task scheduling
/// for heterogeneous computing", IEEE TPDS 13(3), 2002), with the paper's insertion policy.
struct HeftInputs {
  const TaskGraph& graph;
  std::size_t workers = 0;
  /// Time of a task on a worker; negative where that worker cannot run it.
  std::function<std::int64_t(TaskId, std::size_t worker)> cost;
  /// Time from a task's end to its successor's earliest start on the same worker, or on another.
  std::function<std::int64_t(TaskId from, TaskId to, bool same_worker)> communication;
};

struct HeftPlacement {
  std::size_t worker = 0;
  std::int64_t start = 0;
  std::int64_t finish = 0;
};

struct HeftResult {
  std::vector<double> upward_ranks;       ///< by TaskId; mean cost plus the costliest way to the end
  std::vector<HeftPlacement> placements;  ///< by TaskId
  FrozenSchedule schedule;
};

/// Equal ranks in topological order, equal finish times on the lowest worker. Throws InputError if no worker can run a task.
HeftResult heft(const HeftInputs& inputs);

/// heft() with durations that are the same on every worker of the task's core type.
FrozenSchedule schedule_heft(const StaticInputs& inputs);

}  // namespace tasktwin
