#pragma once

namespace tasktwin::gpu {

/// How far a run's result is from the right one.
struct Residual {
  double error = 0;  ///< relative; infinite where the result holds anything that is not a number
  double limit = 0;  ///< what counts as right
};

}  // namespace tasktwin::gpu
