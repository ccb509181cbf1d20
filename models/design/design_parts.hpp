#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Where a task waits for its worker under frozen lists together with queues.
enum class TaskSeat : std::uint8_t {
  kList,     ///< in the frozen list of the worker that the placement gives it
  kShared,   ///< in the queue that all workers share
  kOwnQueue  ///< with the worker that released it, after that one's list
};

/// By TaskId. Design::parts come first; of the tasks that none of them seats the first static_percent in topological order are listed, and
/// the others wait in the shared queue where the design has one. Spawned tasks, and tasks that no worker runs (Operation::kEvent), are in
/// no list.
std::vector<TaskSeat> task_seats(const TaskGraph& graph, const Design& design);

/// The part of `design` that `task` belongs to; null for none.
const DesignPart* part_of(const TaskGraph& graph, const Design& design, TaskId task);

/// What gates are called in tables (TaskTraits::kind).
inline constexpr const char* kGateKind = "gate";

/// `graph` with a gate in front of each layer of a part that has release `barrier`: an empty task, after all of `graph`, that waits for
/// every task of lower layers, and that every task of the layer waits for. nullopt where the design has no such part.
/// Contract: check_parts has passed.
std::optional<TaskGraph> with_gates(const TaskGraph& graph, const Design& design);

/// Throws InputError for a part that names no task of `graph`, and for a barrier between layers that fall along some dependency.
void check_parts(const TaskGraph& graph, const Design& design);

}  // namespace tasktwin
