#pragma once

#include "gpu/probes/launch_probes.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// What the simulator says of the calls that gpu::probe_graph_calls measures. It knows instantiating and uploading as one, here
/// `instantiate_ns`; `build_ns`, `upload_ns` and `first_launch_ns` it does not know, and they are 0. `host_pace`: as in
/// sim::SimulationOptions. Throws InputError.
gpu::GraphCallTimes predict_graph_calls(const TaskGraph& graph, const Machine& machine, double host_pace = 1);

/// The host's time in calls in which it does not wait, in nanoseconds. Contract: a timeline with a host.
double host_busy_ns(const Timeline& timeline);

}  // namespace tasktwin::verify
