#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

/// A plan says what its workers wait for. That it makes every task wait for what this needs is known without a run: a task begins after
/// what it waits for, and after the tasks before it in its list.

/// An order in which the tasks of `lists` can run, each after what it waits for in `planned` and after those before it in its list.
/// Contract: they do not deadlock (list_deadlock), and every task that is no event is in a list.
std::vector<TaskId> order_of_lists(const TaskGraph& planned, const FrozenSchedule& lists);

/// A task that may begin before one that it needs has ended.
struct Uncovered {
  TaskId task{};   ///< both of `needed`
  TaskId needs{};  ///< and no event
};

/// The first edge of `needed`, through events too, that nothing in the plan makes its task wait for; nothing if there is none. `place` has
/// the TaskId in `planned` of each of its tasks that is no event. In time proportional to edges and workers. Contract: as of
/// order_of_lists.
std::optional<Uncovered> first_uncovered(const TaskGraph& needed, const TaskGraph& planned, const FrozenSchedule& lists,
                                         std::span<const TaskId> place);

}  // namespace tasktwin
