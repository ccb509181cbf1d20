#pragma once

#include <vector>

#include "sim/run.hpp"

namespace tasktwin::sim {

/// Between which events a run is kept: so many of them, evenly spread.
inline constexpr std::uint64_t kCheckpoints = 32;

/// The last of `checkpoints`, ascending, of a run of `change.before` and `lists_before` up to which a run of `graph` and `lists` goes the
/// same way; null where none is. All that a run of lists can ask before is which tasks are ready, and no sooner than a task's body begins
/// how long it takes, no sooner than its end is certain what waits for it.
const Checkpoint* last_before(const std::vector<Checkpoint>& checkpoints, const Change& change, const TaskGraph& graph,
                              const FrozenSchedule& lists_before, const FrozenSchedule& lists);

}  // namespace tasktwin::sim
