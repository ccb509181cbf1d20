#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/device/device_state.hpp"
#include "gpu/executor.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "gpu/probes/memory_probes.hpp"
#include "gpu/probes/operation_probes.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "models/machine/machine.hpp"
#include "verify/calibration/fit/calibrated.hpp"

namespace tasktwin::verify {

/// One measured value that a constant was fitted to.
struct CalibrationSample {
  std::string constant;  ///< its key in the machine file
  std::string setting;   ///< the micro-benchmark and its parameters
  double value_ns = 0;
};

/// The conditions of a measurement in addition to the machine, at a moment.
struct Conditions {
  gpu::DeviceState device;
  double computing_ns = 0;  ///< what some arithmetic takes the host
};

/// What is measured: the GPU; in tests of a step the simulator.
struct CalibrationBackend {
  std::string device;  ///< as sources name it
  std::function<gpu::Measurement(const TaskGraph&, const Machine&, const Design&, const gpu::RunOptions&)> run;
  std::function<gpu::GraphCallTimes(const TaskGraph&)> graph_calls = {};
  std::function<gpu::HostCallTimes()> host_calls = {};
  std::function<gpu::PlainChainTimes()> plain_chains = {};
  std::function<gpu::HostContentionTimes(int)> host_contention = {};
  std::function<gpu::TransferTimes()> transfers = {};
  std::function<gpu::AllocationTimes(std::int64_t)> allocations = {};
  std::function<gpu::MemoryWordTimes()> memory_words = {};
  std::function<gpu::MemoryPortProbe()> memory_ports = {};
  std::function<gpu::MemoryQueueProbe()> memory_queues = {};
  std::function<gpu::PeerTimes(int)> peers = {};  ///< among that many devices
  std::function<Conditions()> conditions = {};    ///< none where they never change
};

/// Contract: there is a GPU.
CalibrationBackend gpu_calibration_backend();

/// `machine` with that many cores; 0 for all.
Machine of_workers(Machine machine, int workers);

/// Runs micro-benchmarks, and keeps the samples that constants are fitted to.
class Probes {
 public:
  /// `machine` gives the cores and limits; `progress` shows what is being measured.
  Probes(const Machine& machine, std::function<void(std::string_view)> progress, CalibrationBackend backend)
      : machine_(machine), progress_(std::move(progress)), backend_(std::move(backend)) {}

  const Machine& machine() const { return machine_; }
  const std::vector<CalibrationSample>& samples() const { return samples_; }

  template <class M, class Of, class Value>
  void keep_sample(Section<M> Machine::*held, Value Of::*constant, std::string setting, double value_ns) {
    keep_sample(constant_of(held, constant).key, std::move(setting), value_ns);
  }
  void keep_sample(std::string constant, std::string setting, double value_ns) {
    samples_.push_back({std::move(constant), std::move(setting), value_ns});
  }
  /// Forgets all but the first `count`.
  void keep_first_samples(std::size_t count) { samples_.resize(count); }

  std::optional<Conditions> conditions() const { return backend_.conditions ? std::optional(backend_.conditions()) : std::nullopt; }

  /// Runs a micro-benchmark under stamps; `workers` of 0 for all cores.
  gpu::Measurement run(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers = 0) const {
    return run_on(machine_, what, graph, design, repeats, workers);
  }
  /// Its makespan without stamps, the median of `repeats` runs, ns.
  double makespan(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers = 0) const {
    return median_ns(makespans_on(machine_, what, graph, design, repeats, workers).makespans);
  }
  /// The runs for such a makespan.
  gpu::Measurement makespans_on(Machine known, std::string_view what, const TaskGraph& graph, const Design& design, int repeats,
                                int workers) const;
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
