#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "gpu/executor.hpp"
#include "verify/calibration/fit/fit.hpp"

namespace tasktwin::verify {

/// Where a dispatcher finds completions.
template <class T>
struct ResolveSteps {
  T complete{};
  T pass_on{};  ///< by turns of passing on
  T resolve{};  ///< by rows
  auto all() { return std::array{&complete, &pass_on, &resolve}; }
};

/// What parts of rounds of dispatchers on the device took, by what they did.
struct RoundParts {
  std::vector<double> sweeps;
  std::vector<double> claims;
  std::vector<double> ends;  ///< where nothing is handed over
  Groups<ResolveSteps> resolved;
  Groups<Slope> handed;  ///< by tasks, as many at a time as there are lanes

  void add(const std::vector<gpu::DispatchRound>& rounds, double lanes);
};

/// Relative least squares of each group's mean.
template <template <class> class Steps>
Steps<Estimate> fit_groups(const Groups<Steps>& groups) {
  Fit<Steps> fit;
  for (const auto& [weights, mean] : groups.means()) fit.observe_relative(weights, std::max(1.0, mean));
  return fit.solve();
}

}  // namespace tasktwin::verify
