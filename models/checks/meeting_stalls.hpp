#pragma once

#include "models/checks/stalls.hpp"

namespace tasktwin {

// Groups of kernels that wait for each other while they run: those that state it (TaskTraits::co_resident), and the ranks of a collective.
// A kernel's or rank's blocks come onto the cores one by one, those of a cooperative kernel all at once; a group ends once all its blocks
// are there. Meanwhile other kernels come and go, so they are not what a group waits for in the end: that is other groups.

/// Each of some groups has a kernel that begins, by dependencies or its place in a stream, only when a kernel of another has ended, in a
/// circle: whatever the order, none ends.
std::optional<Stall> crossed_order(const StallCase& asked);

/// Some groups may each hold enough cores that none of them finds room for all its blocks (GroupSearch). Pairs are tried first; else as
/// many groups as can be there together, from which those are left out that the stall does not need. Hardware queues that streams share,
/// and the number of kernels that a device runs at a time, are not looked at. `max_groups` of a graph are.
std::optional<Stall> stalled_meeting(const StallCase& asked);

/// The same of collectives, and of these together with other groups.
std::optional<Stall> stalled_collective(const StallCase& asked);
/// Tasks that meet, or ranks, that hold the cores which a kernel in front of others of their group needs.
std::optional<Stall> stalled_kernel(const StallCase& c);

}  // namespace tasktwin
