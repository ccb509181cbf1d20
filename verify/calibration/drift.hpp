#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

/// A constant as a machine file states it, and as the GPU at hand has it now.
struct ConstantDrift {
  std::string constant;
  double stated_ns = 0;
  double measured_ns = 0;

  /// Off by more than a quarter, and by more than the timer can be: predictions made from it are of another machine.
  bool drifted() const;
};

/// Measures anew what tells machines apart: hops between cores, hand-overs, and launches of the host.
std::vector<ConstantDrift> measure_drift(const Machine& machine, const std::function<void(std::string_view)>& progress,
                                         CalibrationBackend backend);

/// "the machine file … no longer fits this GPU: launch_ns is 3396 ns there, and 5100 ns here", and what to do; empty where
/// nothing has drifted.
std::string drift_text(const std::string& machine_file, const std::vector<ConstantDrift>& constants);

}  // namespace tasktwin::verify
