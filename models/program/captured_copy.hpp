#pragma once

#include <optional>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin {

/// Of a copy of a captured program between the device and the host's pinned memory, the bytes that its link moves in the time that it took,
/// less what another that moved bytes the other way made it wait; none of any other task, and where the machine does not say how fast the
/// link is.
std::optional<Bytes> captured_bytes(const TaskGraph& graph, const Machine& machine, const HostProgram& program, TaskId task);

}  // namespace tasktwin
