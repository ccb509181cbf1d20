#pragma once

#include <string>

#include "models/design/design.hpp"

namespace tasktwin {

/// Between which times 95 % of measurements of a prediction lie; docs/intervals.md.
struct PredictionInterval {
  double low_ns = 0;
  double high_ns = 0;
  std::string mechanism;
  int cases = 0;  ///< recordings of that mechanism; 0 where there are none, and the widest of all is taken
};

/// What a design's errors are learnt by: its driver, who releases tasks and, of persistent workers, where ready ones wait.
std::string error_mechanism(const Design& design);

/// Throws InputError unless the time is more than 0.
PredictionInterval prediction_interval(const Design& design, Duration makespan);

}  // namespace tasktwin
