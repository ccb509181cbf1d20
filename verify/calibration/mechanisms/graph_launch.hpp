#pragma once

#include <span>

#include "models/run/as_run.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

inline Design graph_design(int replays = 1) {
  Design design = named_design("cuda-graph");
  design.replays = replays;
  return design;
}

/// How many times as long as `graphs` says the host took over a run's calls.
inline double slowdown_of(const mechanism::GraphLaunch& graphs, const gpu::Measurement& run) {
  Machine machine;
  machine.graph_launch = graphs;
  return host_slowdown(graph_design(), machine, run.host_call);
}

/// Mean time between two of these starts, in ns. Contract: two or more.
double start_interval(std::span<const TimePoint> starts);

/// The steps of calibrate_graph_launch(): the host's calls on graphs, and the nodes on the device.
void calibrate_graph_calls(Probes& probes, Calibrated<mechanism::GraphLaunch>& graphs);
void calibrate_graph_nodes(Probes& probes, Calibrated<mechanism::GraphLaunch>& graphs);

}  // namespace tasktwin::verify
