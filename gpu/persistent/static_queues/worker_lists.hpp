#pragma once

#include "gpu/run/executor_interface.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin::gpu {

/// The workers' lists, one each: those of the run's options, else what the design's placement gives. Throws InputError for
/// lists that are not the workers' (models/checks/list_order.hpp) and, with the cycle, for lists that deadlock, unless the options
/// want just that.
FrozenSchedule worker_lists(const ExecutorInputs& inputs);

}  // namespace tasktwin::gpu
