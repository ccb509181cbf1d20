#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/launch_probes.hpp"
#include "gpu/operation_probes.hpp"
#include "models/machine.hpp"
#include "verify/calibration/fit.hpp"

namespace tasktwin::verify {

/// One measured value that a constant was fitted to.
struct CalibrationSample {
  std::string constant;  ///< its key in the machine file
  std::string setting;   ///< the micro-benchmark and its parameters
  double value_ns = 0;
};

/// What is measured: the GPU; in tests of a step the simulator.
struct CalibrationBackend {
  std::string device;  ///< as sources name it
  std::function<gpu::Measurement(const TaskGraph&, const Machine&, const Design&, const gpu::RunOptions&)> run;
  std::function<gpu::GraphCallTimes(const TaskGraph&)> graph_calls;
  std::function<gpu::HostCallTimes()> host_calls;
  std::function<gpu::HostContentionTimes(int)> host_contention = {};
  std::function<gpu::TransferTimes()> transfers = {};
  std::function<gpu::AllocationTimes(std::int64_t)> allocations = {};
};

/// Contract: there is a GPU.
CalibrationBackend gpu_calibration_backend();

/// A machine whose constants are being measured. Each step below sets some of them, from micro-benchmarks alone.
class Calibration {
 public:
  /// `skeleton` gives the machine's name and its cores; `progress` is told what is being measured.
  Calibration(const Machine& skeleton, std::string date, std::function<void(std::string_view)> progress, CalibrationBackend backend);

  const Machine& machine() const { return machine_; }
  const std::vector<CalibrationSample>& samples() const { return samples_; }

  /// Sets a constant; negative fits become 0. A kernel's traffic is at least 0.1.
  void set(std::string_view constant, double value, const std::string& method);
  /// Sets one that no micro-benchmark measures.
  void assume(std::string_view constant, double value, const std::string& reason);
  /// And its interval, where it is above 0.
  void set(std::string_view constant, const Estimate& estimate, const std::string& method);
  /// Moves a constant that is set, and says so behind how it was found.
  void refine(std::string_view constant, const Estimate& estimate, const std::string& how);
  /// Of the machine's cores, as CoreGroup has them. Contract: as many as cores, or none.
  void set_memory_ports(std::vector<int> ports) { machine_.compute_cores.front().memory_ports = std::move(ports); }
  void set_memory_queues(std::vector<int> queues) { machine_.compute_cores.front().memory_queues = std::move(queues); }
  void set_kernel(Kernel kernel, const KernelCost& cost, const std::string& method);
  void keep_sample(std::string constant, std::string setting, double value_ns) {
    samples_.push_back({std::move(constant), std::move(setting), value_ns});
  }
  double get(std::string_view constant) const;
  /// Throws std::logic_error naming a constant that no step has set.
  void check_complete() const;

  /// Runs a micro-benchmark under stamps; `workers` of 0 for all cores.
  gpu::Measurement run(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers = 0) const;
  /// Runs one whose dispatchers' rounds are timed without stamps; likewise.
  std::vector<gpu::DispatchRound> rounds(std::string_view what, const TaskGraph& graph, const Design& design, int workers = 0) const;
  gpu::GraphCallTimes graph_calls(std::string_view what, const TaskGraph& graph) const;
  gpu::HostCallTimes host_calls() const;
  gpu::HostContentionTimes host_contention(int threads) const;
  gpu::TransferTimes transfers() const;
  gpu::AllocationTimes allocations() const;

 private:
  void put(std::string_view constant, double value, Provenance provenance);
  Machine of_workers(int workers) const;

  Machine machine_;
  CalibrationBackend backend_;
  std::function<void(std::string_view)> progress_;
  std::vector<CalibrationSample> samples_;
};

/// The steps, in the order in which they build on each other.
void calibrate_memory_words(Calibration& calibration);     ///< read and atomic latencies
void calibrate_memory_ports(Calibration& calibration);     ///< by which the cores reach the memory, and what each carries
void calibrate_memory_queues(Calibration& calibration);    ///< in which their loads wait for it, and what each draws
void calibrate_core_hops(Calibration& calibration);        ///< start, publish, release, hops
void calibrate_worker_queues(Calibration& calibration);    ///< takes, thefts and claims of workers with queues of their own
void calibrate_control_cores(Calibration& calibration);    ///< poll, complete, resolve, dispatch, completion hop
void calibrate_host_path(Calibration& calibration);        ///< launch, events, streams
void calibrate_host_waits(Calibration& calibration);       ///< a host that waits for kernels, or is told of their ends
void calibrate_graphs(Calibration& calibration);           ///< the host's calls on graphs, and the nodes on the device
void calibrate_conditionals(Calibration& calibration);     ///< conditional nodes of graphs
void calibrate_host_threads(Calibration& calibration);     ///< the host's threads as control cores
void calibrate_device_launches(Calibration& calibration);  ///< kernels launched on the device
void calibrate_device_graphs(Calibration& calibration);    ///< graphs launched there
void calibrate_copies(Calibration& calibration);           ///< copies, memsets and functions of the host
void calibrate_allocations(Calibration& calibration);      ///< cudaMalloc, pools and the host's cache
void calibrate_bodies(Calibration& calibration);           ///< every kernel's cost
void assume_unmeasured(Calibration& calibration);          ///< the constants that no micro-benchmark measures, from those measured
void calibrate_first_looks(Calibration& calibration);      ///< what precedes the first tasks where cores stay resident
void refine_scheduling(Calibration& calibration);          ///< hops and steps of persistent designs, by makespans without stamps
/// The host's calls on streams, likewise. Early: at the end of a calibration, with graphs and launches from the device behind it, a launch
/// took an H200's host 4.45 us in place of the 3.65 of its beginning, beside an unchanged pace.
void refine_streams(Calibration& calibration);

/// All of them; the machine's limits and the control cores' code_scale stay as they are. Contract: there is a GPU.
Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress);

}  // namespace tasktwin::verify
