#pragma once

#include <string>

#include "models/policies/policies.hpp"

namespace tasktwin {

/// Why the lists are no schedule of the tasks on `inputs.workers` workers, naming a task: a core that does not exist or cannot run it, a
/// task that the graph has not, twice in the lists or in none, or one that waits for a task after it. Empty if they are one.
std::string schedule_fault(const StaticInputs& inputs, const FrozenSchedule& lists);

}  // namespace tasktwin
