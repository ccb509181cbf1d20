#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace tasktwin::verify {

class Probes;

/// A small run, measured and predicted.
struct SpotCheck {
  std::string design;
  std::string graph;
  double measured_ns = 0;
  double predicted_ns = 0;

  double error() const { return predicted_ns / measured_ns - 1; }
};

/// How far off predictions of small graphs are that neither calibration nor verification has, some of each driver and each way of handing
/// tasks out; of those alone that the machine has what they need for, and that a host was steady for.
std::vector<SpotCheck> spot_checks(Probes& probes, const Machine& machine);

/// The mean error of each design's checks, all taken as positive, in the order in which they first come.
struct DesignSpots {
  std::string design;
  double error = 0;  ///< mean of the absolute values
  double bias = 0;   ///< mean
};
std::vector<DesignSpots> spots_by_design(const std::vector<SpotCheck>& checks);

}  // namespace tasktwin::verify
