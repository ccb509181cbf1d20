#pragma once

#include <optional>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

/// Where a graph is built on the device, tasks are submitted in topological order (task_graph.hpp) and a window of W holds
/// them until they are retired, in the same order: a task is retired when it and all its successors have completed. Submitting
/// task p waits until task p − W is retired. A task that is retired only after one W places or more after it has completed is
/// therefore a cycle of waits: an edge that spans that many places or, where workers follow lists to the letter, a way along edges and
/// places in lists.
///
/// Workers that take frozen lists in order wait for the first task of theirs even if later ones could run. So what retires a
/// task also needs everything before it in its list, and the window must reach as far as the last of those.
struct WindowNeed {
  int smallest = 1;
  TaskId from{};  ///< whose retirement needs
  TaskId to{};    ///< this task, `smallest` - 1 places later; the same where any window will do
};
/// Of the tasks of a scope none is retired before the last of them is submitted, which the window must reach as well.
/// `lists` that workers take strictly in order; empty where there are none.
WindowNeed smallest_window(const TaskGraph& graph, const FrozenSchedule& lists = {});

/// Whether workers take what a frozen placement gives them strictly in order.
bool in_list_order(const Design& design);

/// The cycle of waits in words and the smallest size that works, if `design` has a window, heap ring or dependency pool that is too small
/// for `graph`. `lists` count only where workers take them in order.
std::optional<std::string> window_deadlock(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists = {});

}  // namespace tasktwin
