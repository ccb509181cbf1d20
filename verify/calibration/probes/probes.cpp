#include "verify/calibration/probes/probes.hpp"

#include <algorithm>

#include "gpu/host/quick_processor.hpp"
#include "gpu/run_again.hpp"

namespace tasktwin::verify {

Machine of_workers(Machine machine, int workers) {
  if (workers > 0) machine.compute_cores = {{CoreType::kSm, workers}};
  return machine;
}

namespace {

/// The quickest of some milliseconds: what interrupts the thread for less is no pace of the host.
double undisturbed_computing_ns() {
  constexpr int kTimes = 40;
  double quickest = gpu::computing_ns();
  for (int i = 1; i < kTimes; ++i) quickest = std::min(quickest, gpu::computing_ns());
  return quickest;
}

}  // namespace

CalibrationBackend gpu_calibration_backend() {
  const gpu::DeviceInfo info = gpu::device_info();
  return {.device = info.name + ", driver " + info.driver + ", CUDA " + info.runtime,
          .run =
              [](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
                // Phases are means over many tasks and runs; a makespan is one number a run.
                return gpu::run_again(graph, machine, design, options, options.stamps ? gpu::Again::kNothing : gpu::Again::kSeries);
              },
          .graph_calls = gpu::probe_graph_calls,
          .host_calls = gpu::probe_host_calls,
          .plain_chains = gpu::probe_plain_chains,
          .host_contention = gpu::probe_host_contention,
          .transfers = gpu::probe_transfers,
          .allocations = gpu::probe_allocations,
          .memory_words = gpu::probe_memory_words,
          .memory_ports = gpu::probe_memory_ports,
          .memory_queues = gpu::probe_memory_queues,
          .peers = gpu::probe_peers,
          .conditions =
              [] {
                return Conditions{gpu::device_state(), undisturbed_computing_ns()};
              }};
}

namespace {

/// Tests hold orders and results; a calibration needs the times.
gpu::RunOptions times_only(int repeats, bool stamps) {
  gpu::RunOptions options;
  options.repeats = repeats;
  options.order_checks = 0;
  options.check_results = false;
  options.stamps = stamps;
  return options;
}

}  // namespace

gpu::Measurement Probes::run_on(Machine known, std::string_view what, const TaskGraph& graph, const Design& design, int repeats,
                                int workers) const {
  progress_(what);
  return backend_.run(graph, of_workers(std::move(known), workers), design, times_only(repeats, true));
}

gpu::Measurement Probes::makespans_on(Machine known, std::string_view what, const TaskGraph& graph, const Design& design, int repeats,
                                      int workers) const {
  progress_(what);
  return backend_.run(graph, of_workers(std::move(known), workers), design, times_only(repeats, false));
}

std::vector<gpu::DispatchRound> Probes::rounds(std::string_view what, const TaskGraph& graph, const Design& design, int workers) const {
  progress_(what);
  gpu::RunOptions options = times_only(1, false);
  options.rounds = true;
  return backend_.run(graph, of_workers(machine_, workers), design, options).dispatch_rounds;
}

}  // namespace tasktwin::verify
