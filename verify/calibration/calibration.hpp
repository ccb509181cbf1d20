#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/calibration/finished_steps.hpp"
#include "verify/calibration/probes/probes.hpp"
#include "verify/calibration/trials/spot_checks.hpp"

namespace tasktwin::verify {

/// A machine as it was measured, and what its constants were fitted to.
struct Calibration {
  Machine machine;
  std::vector<CalibrationSample> samples;
  std::vector<SpotCheck> checks;  ///< how far off it is in small runs
};

/// `skeleton` with every mechanism: what no step has measured yet is as it says, or 0.
Machine to_be_measured(Machine skeleton, const std::string& device, const std::string& date);

/// Throws std::logic_error naming a constant that nothing has set.
void check_complete(const Machine& machine);

/// What lies between the devices of `known`, which has several, alone: all else stays as it is. Throws as the micro-benchmarks do.
Calibration calibrate_links(const Machine& known, const std::string& date, const std::function<void(std::string_view)>& progress,
                            CalibrationBackend backend);

/// All mechanisms, of one device and then, where `skeleton` has several, of what lies between them. `skeleton` gives the machine's name and
/// cores, its limits and the control cores' code_scale; `progress` shows what is being measured. Continues after the steps in `finished`.
Calibration calibrate(const Machine& skeleton, const std::string& date, const std::function<void(std::string_view)>& progress,
                      CalibrationBackend backend, FinishedSteps* finished = nullptr);

}  // namespace tasktwin::verify
