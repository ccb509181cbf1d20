#pragma once

#include <vector>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What a task hands to its kernel: of a scenario's own by parameter, of a built-in one that computes numbers its arguments in a list; null
/// for others.
Json plan_arguments(const TaskGraph& graph, TaskId id);

/// The axes that a plan of lists may set: those that count there, and that the lists do not say themselves.
std::vector<const AxisField*> plan_axes();

}  // namespace tasktwin::verify
