#include "verify/calibration/probes.hpp"

namespace tasktwin::verify {

Machine of_workers(Machine machine, int workers) {
  if (workers > 0) machine.compute_cores = {{CoreType::kSm, workers}};
  return machine;
}

CalibrationBackend gpu_calibration_backend() {
  const gpu::DeviceInfo info = gpu::device_info();
  return {.device = info.name + ", driver " + info.driver + ", CUDA " + info.runtime,
          .run = gpu::run,
          .graph_calls = gpu::probe_graph_calls,
          .host_calls = gpu::probe_host_calls,
          .host_contention = gpu::probe_host_contention,
          .transfers = gpu::probe_transfers,
          .allocations = gpu::probe_allocations,
          .memory_words = gpu::probe_memory_words,
          .memory_ports = gpu::probe_memory_ports,
          .memory_queues = gpu::probe_memory_queues};
}

gpu::Measurement Probes::run_on(Machine known, std::string_view what, const TaskGraph& graph, const Design& design, int repeats,
                                int workers) const {
  progress_(what);
  gpu::RunOptions options;
  options.repeats = repeats;
  options.check_results = false;
  return backend_.run(graph, of_workers(std::move(known), workers), design, options);
}

std::vector<gpu::DispatchRound> Probes::rounds(std::string_view what, const TaskGraph& graph, const Design& design, int workers) const {
  progress_(what);
  gpu::RunOptions options;
  options.repeats = 1;
  options.check_results = false;
  options.stamps = false;
  options.rounds = true;
  return backend_.run(graph, of_workers(machine_, workers), design, options).dispatch_rounds;
}

}  // namespace tasktwin::verify
