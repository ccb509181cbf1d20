#pragma once

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// The number of tasks ready and not yet dispatched, at each moment that it changes, from a finished timeline.
std::vector<QueueSample> queue_samples(const std::vector<TaskTimes>& tasks);

}  // namespace tasktwin::sim
