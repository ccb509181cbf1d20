#pragma once

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// Throws RunError if nothing is left to happen and tasks have not ended: how many, and for the first few what they wait for.
void check_finished(const TaskGraph& graph, const Timeline& timeline);

}  // namespace tasktwin::sim
