#pragma once

#include <vector>

#include "models/explain/occupancy.hpp"

namespace tasktwin {

/// When each task was submitted, by TaskId: in topological order, by the orchestrators in turn. kAbsent where steps were not
/// recorded.
std::vector<TimePoint> submissions(const TaskGraph& graph, const Timeline& timeline, const OccupancyIndex& ran);

}  // namespace tasktwin
