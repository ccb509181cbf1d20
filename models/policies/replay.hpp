#pragma once

#include "models/policies/policies.hpp"

namespace tasktwin {

/// Every task on the core that it had in inputs.replayed, each core's tasks in the order in which they started there; those
/// that started together in topological order. Throws InputError if there is no timeline, if it is of another number of tasks
/// or lacks one, if a core is not among the workers or cannot run its task, or if a task started before a predecessor of it.
/// O(edges + tasks · log tasks).
FrozenSchedule replay(const StaticInputs& inputs);

}  // namespace tasktwin
