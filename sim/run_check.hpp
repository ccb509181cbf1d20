#pragma once

#include <cstdint>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// Throws InternalError, naming the design, the seed and the first task or edge, if a simulated run contradicts its graph or itself: a time
/// before 0, phases of a task out of their order, a start before the end of a predecessor, readiness before a predecessor's completion was
/// written (for workers), a last completion seen, or workers gone, before it. Streams that release kernels need no phase but start
/// and end, and the host may still be in the call that launched a kernel when that starts.
void check_run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed, const Timeline& timeline);

}  // namespace tasktwin::sim
