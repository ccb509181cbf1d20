#pragma once

#include "models/design/design.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/graph/task_graph.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin::sim {

// What is refused before a run begins, each with InputError naming the machine, task or design.

/// Every constant is at least 0 and small enough for sums to stay exact.
void check_constants(const Machine& machine);

/// Every task finds the cores it needs under `design`, and the design can order tasks of its kind.
void check_tasks(const TaskGraph& graph, const Machine& machine, const Design& design);

/// A graph with edges in place of its events, for a design that does not count any. Throws InputError, naming the design, where that is not
/// simulated.
GraphPart edges_for_events(const TaskGraph& graph, const Design& design);

/// As check_tasks and check_program, of the graph that simulate() makes of this one under the design: with edges for events that it does
/// not count, and with the copies that it puts in between devices.
void check_graph(const TaskGraph& graph, const Machine& machine, const Design& design, const HostProgram* program);

/// A design that replays a host program has one, of this graph, and as many streams. `program` may be null.
void check_program(const TaskGraph& graph, const Machine& machine, const Design& design, const HostProgram* program);

}  // namespace tasktwin::sim
