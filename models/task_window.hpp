#pragma once

#include <optional>
#include <string>

#include "models/design.hpp"
#include "models/policies.hpp"
#include "models/task_graph.hpp"

namespace tasktwin {

/// Where a graph is built on the device, tasks are submitted in topological order (task_graph.hpp) and a window of W holds
/// them until they are retired, in the same order: a task is retired when it and all its successors have completed. Submitting
/// task p waits until task p − W is retired. A task that is retired only after one W places or more behind it has completed is
/// therefore a cycle of waits: an edge that spans so much or, where workers follow lists to the letter, a way along edges and
/// places in lists.
struct WindowNeed {
  int smallest = 1;  ///< the longest such span, plus 1
  TaskId from{};     ///< not retired
  TaskId to{};       ///< before this has completed, if there is any edge or list
};
/// `lists` where workers follow some to the letter. Contract: they and the edges together have no cycle.
WindowNeed smallest_window(const TaskGraph& graph, const FrozenSchedule& lists = {});

/// The cycle of waits in words and the smallest window that works, if `design` has a window that is too small for `graph`, and
/// for the `lists` that its workers follow.
std::optional<std::string> window_deadlock(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists = {});

}  // namespace tasktwin
