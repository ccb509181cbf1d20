#pragma once

#include "gpu/run/executor_interface.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin::gpu {

/// The lists of all devices' workers, one device after the other: those of the run's options, else for each device what the design's
/// placement makes of its own tasks and the edges among them, each worker's in the topological order of the whole graph. Contract: each
/// task of the graph has its device. Throws InputError for lists that are not the workers' or put a task on another device, and, with the
/// cycle, for lists that deadlock unless the options want just that.
FrozenSchedule peer_worker_lists(const ExecutorInputs& inputs);

}  // namespace tasktwin::gpu
