#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

/// Workers that take frozen lists strictly in order wait for the first task of theirs, so each task waits for its predecessors
/// and for everything before it in its list. The run ends if, and only if, these waits together have no cycle.
///
/// The shortest cycle found, as a path of task names that says at each step why (an edge, or a place in the list of a core);
/// nothing if there is none. In time proportional to tasks and edges where there is none. Tasks in no list wait for their
/// predecessors alone. Contract: no task is twice in the lists.
std::optional<std::string> list_deadlock(const TaskGraph& graph, const FrozenSchedule& lists);

/// Which tasks the lists must have: all but events, or any of them where the others wait in another queue.
enum class ListCover { kAll, kSome };

/// Why the lists cannot be those of `workers` workers, naming the task: more lists than workers, a task that the graph has
/// not, a task twice or, under kAll, one that is missing; nothing if they can.
std::optional<std::string> list_fault(const TaskGraph& graph, const FrozenSchedule& lists, std::size_t workers, ListCover cover);

/// Throws InputError with the list_fault of lists for `design`: of all tasks, unless it also has a shared queue.
void check_lists(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists, std::size_t workers);

/// An executor that takes lists in order calls this before a run: as check_lists, and throws InputError with the cycle of waits that
/// lists, edges and the design's window make together.
void prove_lists(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists, std::size_t workers);

}  // namespace tasktwin
