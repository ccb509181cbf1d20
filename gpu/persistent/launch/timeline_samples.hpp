#pragma once

#include <vector>

#include "models/run/timeline.hpp"

namespace tasktwin::gpu {

/// The length of the ready queue over time, from the tasks' observed ready and dispatched times.
std::vector<QueueSample> queue_samples(const Timeline& timeline);

}  // namespace tasktwin::gpu
