#pragma once

#include "models/checks/stalls.hpp"

namespace tasktwin {

/// Under early_dispatch a task of several blocks that start together may have some of them on cores before it is ready, and what is then
/// missing is handed over, before other tasks, once as many cores of a dispatcher are idle. Under early_bound `per_edge` each such task may
/// have early_limit of them there, however many tasks do: then all together can hold enough cores that none of them gets the rest of its
/// own. The tasks are such that can wait for their doorbells at the same time, none after another, in a window if the design has one.
///
/// Under the other bounds blocks go to the task that could first be handed over until it has all of them, so that one alone has some of
/// its blocks, and the cores of those that have all of theirs become idle.
std::optional<Stall> early_stall(const StallCase& asked);

}  // namespace tasktwin
