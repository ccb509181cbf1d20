#pragma once

#include "models/graph/graph_edits.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin {

/// The program of an edited graph: launches of tasks that are gone go too, and the host's own time before them stays; a task that moved
/// to another stream is launched there; one that is new is launched before the task after it, by a call that takes what the program's
/// launches take in the median. Nodes of a graph's launch stay together, new ones among them come with it. Contract: `program` is of
/// `graph`, `edited` was made of it.
HostProgram edited_program(const HostProgram& program, const TaskGraph& graph, const EditedGraph& edited);

/// How much of a program is launched as graphs.
struct GraphLaunches {
  std::size_t launches = 0;
  std::size_t tasks = 0;
};
GraphLaunches graph_launches(const HostProgram& program);

}  // namespace tasktwin
