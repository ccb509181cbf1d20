#pragma once

#include <span>
#include <vector>

#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::bench {

/// central-dispatcher as a loop over one binary heap of completions and flat arrays, with no engine and nothing that can be
/// chosen but the mailbox depth: one dispatcher without lanes, one core type, first in, first out, no bytes. What any
/// simulator of this design has to do at least. `durations` by TaskId, in ns. Returns the tasks' phases.
std::vector<TaskTimes> schedule_on_bare_heap(const TaskGraph& graph, const Machine& machine, std::span<const Duration> durations, int cores,
                                             int mailbox_depth);

}  // namespace tasktwin::bench
