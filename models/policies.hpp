#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/design.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// What a policy may look at when it is built.
struct PolicyInputs {
  const TaskGraph& graph;
  std::span<const Duration> durations;  ///< expected, by TaskId
  std::uint64_t seed = 0;
};

/// Which ready task goes first: the lowest key; equal keys in order of arrival. `arrival` counts tasks as they become ready.
class TaskOrderPolicy {
 public:
  virtual ~TaskOrderPolicy() = default;
  virtual std::int64_t key(TaskId task, std::uint64_t arrival) const = 0;
};

std::unique_ptr<TaskOrderPolicy> make_task_order(TaskOrder order, const PolicyInputs& inputs);

/// Where a frozen placement puts every task: for each worker its tasks in the order in which it runs them.
/// Contract: the orders together never deadlock: there is one topological order that all of them follow.
using FrozenSchedule = std::vector<std::vector<TaskId>>;

struct StaticInputs {
  const TaskGraph& graph;
  std::span<const Duration> durations;  ///< expected, by TaskId
  std::span<const CoreType> workers;    ///< the type of each worker
  Duration same_worker_hop{};           ///< from a body's end to its successor's start on the same worker
  Duration other_worker_hop{};          ///< and on another one
};

/// Throws InputError if a task needs a core type that no worker has. Contract: is_static(placement).
FrozenSchedule make_frozen_schedule(Placement placement, const StaticInputs& inputs);

/// The frozen schedule of `design`, the same for the simulator and for every executor.
FrozenSchedule frozen_schedule(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
