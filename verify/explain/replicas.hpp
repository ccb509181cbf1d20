#pragma once

#include <cstdint>
#include <span>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin::verify {

struct Replicas {
  TaskGraph graph;
  HostProgram program;
};

/// How many hardware queues the program's streams share under the designs that replay it; 0: each has its own. Throws InputError where
/// designs differ in that.
std::uint32_t shared_queues(const Machine& machine, std::span<const Design> designs, const HostProgram& program);

/// The program so many times at once, in processes of their own that share the device, as under MPS: each has its threads, streams,
/// records and hardware queues, and waits for its own work alone. Copies begin together and call by turns; the tasks of the second are
/// called "NAME (2)". `queues` are those that the program's streams share, stream s in queue s modulo them; 0: each has its own. Modulo
/// `count` times as many, no stream is in a queue of another copy, and those of a copy share theirs as the program's do.
/// Contract: `program` is of `graph`, `count` is above 0.
Replicas replicated(const TaskGraph& graph, const HostProgram& program, std::uint32_t count, std::uint32_t queues);

}  // namespace tasktwin::verify
