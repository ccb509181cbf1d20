#include "verify/calibration/drift.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "verify/calibration/mechanisms.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::array kWatched{
    "resident_cores.counter_hop_ns", "resident_cores.release_ns", "device_mailboxes.hop_ns", "device_mailboxes.publish_ns",
    "ready_queues.hop_ns",           "host_calls.launch_ns",      "streams.gap_ns",          "streams.launch_latency_ns"};
constexpr double kLargestDrift = 0.25;
constexpr double kNoise = 100;  ///< ns: three steps of an H200's timer

}  // namespace

bool ConstantDrift::drifted() const {
  const double difference = std::abs(measured_ns - stated_ns);
  return difference > kNoise && difference > kLargestDrift * stated_ns;
}

std::vector<ConstantDrift> measure_drift(const Machine& machine, const std::function<void(std::string_view)>& progress,
                                         CalibrationBackend backend) {
  Machine now = to_be_measured(machine, backend.device, "");
  Probes probes(now, progress, std::move(backend));
  const CoreSteps steps = calibrate_resident_cores(probes, *now.memory);
  const Calibrated<mechanism::HostCalls> calls = calibrate_host_launches(probes);
  steps.into(now);
  calls.into(now);
  calibrate_streams(probes, calls).into(now);
  calibrate_device_mailboxes(probes).into(now);
  now.ready_queues->hop = Nanoseconds{steps.pushed_hop};
  std::vector<ConstantDrift> constants;
  for (const char* const watched : kWatched)
    constants.push_back({watched, find_constant(watched)->get(machine), find_constant(watched)->get(now)});
  return constants;
}

std::string drift_text(const std::string& machine_file, const std::vector<ConstantDrift>& constants) {
  std::string drifted;
  for (const ConstantDrift& one : constants) {
    if (one.drifted())
      drifted += fmt::format("{}{} is {:.0f} ns there and {:.0f} ns here", drifted.empty() ? "" : ", ", one.constant, one.stated_ns,
                             one.measured_ns);
  }
  if (drifted.empty()) return "";
  return fmt::format(
      "the machine file {} no longer fits this GPU: {}; measure a new one with 'tasktwin calibrate', or verify nevertheless with "
      "--allow-drift",
      machine_file, drifted);
}

}  // namespace tasktwin::verify
