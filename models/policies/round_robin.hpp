#pragma once

#include "models/policies/policies.hpp"

namespace tasktwin {

/// Of the tasks that the same workers can run, in topological order, the i-th goes to the i-th of those workers, modulo their
/// number. O(tasks · workers).
FrozenSchedule round_robin(const StaticInputs& inputs);

}  // namespace tasktwin
