#pragma once

#include "models/policies.hpp"

namespace tasktwin {

/// The i-th task of a core type, in topological order, goes to the worker i modulo the number of workers of that type.
FrozenSchedule schedule_round_robin(const StaticInputs& inputs);

}  // namespace tasktwin
