#pragma once

#include <vector>

#include "models/machine.hpp"
#include "models/stream_plan.hpp"
#include "models/timeline.hpp"

namespace tasktwin::sim {

/// What the host does, and when.
struct HostProgram {
  struct Call {
    TimePoint begin;
    TimePoint end;
  };
  std::vector<StreamLaunch> launches;
  std::vector<Call> calls;  ///< of each launch: the launch call itself
  TimePoint end{};          ///< of the last call
};

/// The host under driver `streams`: a serial loop from 0 over the launches of plan_streams. For each: a stream_wait for every
/// event its stream awaits, the launch, and an event_record if it records one. No call waits for the device. The times of one
/// task's calls are rounded once, as sums.
HostProgram host_program(const TaskGraph& graph, const Machine& machine, const Design& design);

/// The hardware queues that streams share: the design's, else the machine's; 0 for no limit.
int hardware_queues(const Machine& machine, const Design& design);

/// The core type of each stream's first task; of the machine's first cores where a stream has none.
std::vector<CoreType> stream_types(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::sim
