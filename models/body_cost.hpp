#pragma once

#include <cstdint>
#include <vector>

#include "models/machine.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// A body on a given machine: it ends `overhead` after both its fixed part and its bytes are through.
struct BodyCost {
  Duration overhead{};  ///< of the kernel, whatever its size
  Duration fixed{};     ///< fixed time plus arithmetic, beside the bytes
  Bytes bytes{};        ///< drawn from the shared memory, at most at the core's own bandwidth

  /// The duration on an otherwise idle machine.
  Duration alone(const Machine& machine) const;
};

/// The cost of `task`, its time drawn from N(time, sigma) cut off at 0 where it has a sigma. The draw depends on `seed`
/// and the task alone, so every design meets the same durations.
BodyCost body_cost(const Machine& machine, const Task& task, TaskId id, std::uint64_t seed);

/// alone() of every task's mean cost, by TaskId: what a scheduler may know beforehand.
std::vector<Duration> expected_durations(const TaskGraph& graph, const Machine& machine);

}  // namespace tasktwin
