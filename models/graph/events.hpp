#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/graph/graph_copy.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// Events (Operation::kEvent) are counters that their predecessors count down and that all their successors watch: a join of p tasks with
/// s others is p + s edges in place of p · s.

constexpr bool is_event(const Task& task) { return task.operation == Operation::kEvent; }

/// How many there are.
std::size_t event_count(const TaskGraph& graph);

/// The tasks that are no events, with an edge for each pair that events join; who spawns whom stays. Throws InputError where that would be
/// more than kMostJoinedEdges.
GraphPart with_edges_for_events(const TaskGraph& graph);
inline constexpr std::size_t kMostJoinedEdges = 50'000'000;

/// By TaskId, of events: the tasks that they count down for, through other events too, ascending; empty for all others.
std::vector<std::vector<TaskId>> tasks_behind_events(const TaskGraph& graph);

}  // namespace tasktwin
