#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executor.hpp"
#include "models/machine.hpp"

namespace tasktwin::verify {

/// One measured value that a constant was fitted to.
struct CalibrationSample {
  std::string constant;  ///< its name in the machine file
  std::string setting;   ///< the micro-benchmark and its parameters
  double value_ns = 0;
};

/// A machine whose constants are being measured. Each step below sets some of them, from micro-benchmarks alone.
class Calibration {
 public:
  /// `skeleton` gives the machine's name and its cores; `progress` is told what is being measured.
  Calibration(const Machine& skeleton, std::string date, std::function<void(std::string_view)> progress);

  const Machine& machine() const { return machine_; }
  const std::vector<CalibrationSample>& samples() const { return samples_; }

  /// Sets a constant; negative fits become 0.
  void set(std::string_view constant, double value, const std::string& method);
  void set_kernel(Kernel kernel, const KernelCost& cost, const std::string& method);
  void keep_sample(std::string constant, std::string setting, double value_ns) {
    samples_.push_back({std::move(constant), std::move(setting), value_ns});
  }
  double get(std::string_view constant) const;

  /// Runs a micro-benchmark under stamps; `workers` of 0 for all cores.
  gpu::Measurement run(std::string_view what, const TaskGraph& graph, const Design& design, int repeats, int workers = 0) const;

 private:
  Machine machine_;
  std::string device_;
  std::string date_;
  std::function<void(std::string_view)> progress_;
  std::vector<CalibrationSample> samples_;
};

/// The steps, in the order in which they build on each other.
void calibrate_memory_words(Calibration& calibration);   ///< read and atomic latencies
void calibrate_core_hops(Calibration& calibration);      ///< start, publish, release, hops
void calibrate_control_cores(Calibration& calibration);  ///< poll, complete, resolve, dispatch, completion hop
void calibrate_host_path(Calibration& calibration);      ///< launch, events, streams
void calibrate_host_threads(Calibration& calibration);     ///< the host's threads as control cores
void calibrate_device_launches(Calibration& calibration);  ///< kernels and graphs launched on the device
void calibrate_bodies(Calibration& calibration);         ///< every kernel's cost, and the memory's bandwidth
void assume_unmeasured(Calibration& calibration);        ///< the constants that no micro-benchmark measures, from those measured

/// All of them; the machine's limits and the control cores' code_scale stay as they are. Contract: there is a GPU.
Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress);

}  // namespace tasktwin::verify
