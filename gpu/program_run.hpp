#pragma once

#include "gpu/executor.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin::gpu {

/// gpu::run() of a captured program's graph: stream_wait `program` makes the calls of `program` again; under others of driver `streams` the
/// host spends its own time before each launch, and as long on it (host_shares). Contract: `program` launches the tasks of `graph`.
Measurement run_program(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options,
                        const HostProgram& program);

}  // namespace tasktwin::gpu
