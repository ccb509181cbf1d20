#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/launch_probes.hpp"
#include "gpu/operation_probes.hpp"
#include "gpu/probes.hpp"
#include "models/machine.hpp"
#include "verify/calibration/calibrated.hpp"

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
  std::function<gpu::GraphCallTimes(const TaskGraph&)> graph_calls = {};
  std::function<gpu::HostCallTimes()> host_calls = {};
  std::function<gpu::HostContentionTimes(int)> host_contention = {};
  std::function<gpu::TransferTimes()> transfers = {};
  std::function<gpu::AllocationTimes(std::int64_t)> allocations = {};
  std::function<gpu::MemoryWordTimes()> memory_words = {};
  std::function<gpu::MemoryPortProbe()> memory_ports = {};
  std::function<gpu::MemoryQueueProbe()> memory_queues = {};
};

/// Contract: there is a GPU.
CalibrationBackend gpu_calibration_backend();

/// `machine` with so many cores; 0 for all.
Machine of_workers(Machine machine, int workers);

/// Runs micro-benchmarks, and keeps the samples that constants are fitted to.
class Probes {
 public:
  /// `machine` gives the cores and limits; `progress` is told what is being measured.
  Probes(const Machine& machine, std::function<void(std::string_view)> progress, CalibrationBackend backend)
      : machine_(machine), progress_(std::move(progress)), backend_(std::move(backend)) {}

  const Machine& machine() const { return machine_; }
  const std::vector<CalibrationSample>& samples() const { return samples_; }

  template <class M, class Value>
  void keep_sample(Section<M> Machine::*held, Value M::*constant, std::string setting, double value_ns) {
    keep_sample(constant_of(held, constant).key, std::move(setting), value_ns);
  }
  void keep_sample(std::string constant, std::string setting, double value_ns) {
    samples_.push_back({std::move(constant), std::move(setting), value_ns});
  }

  /// Runs a micro-benchmark under stamps; `workers` of 0 for all cores.
  gpu::Measurement run(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers = 0) const {
    return run_on(machine_, what, graph, design, repeats, workers);
  }
  /// Its lists planned by what `known` says of times.
  gpu::Measurement run_on(Machine known, std::string_view what, const TaskGraph& graph, const Design& design, int repeats,
                          int workers) const;
  /// Runs one whose dispatchers' rounds are timed without stamps; likewise.
  std::vector<gpu::DispatchRound> rounds(std::string_view what, const TaskGraph& graph, const Design& design, int workers = 0) const;
  /// Calls another measurement, with these arguments.
  template <class Result, class... Arguments>
  Result ask(std::string_view what, std::function<Result(Arguments...)> CalibrationBackend::*probe,
             const std::type_identity_t<Arguments>&... arguments) const {
    progress_(what);
    return (backend_.*probe)(arguments...);
  }

 private:
  Machine machine_;
  std::function<void(std::string_view)> progress_;
  CalibrationBackend backend_;
  std::vector<CalibrationSample> samples_;
};

}  // namespace tasktwin::verify
