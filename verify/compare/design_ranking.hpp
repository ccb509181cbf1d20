#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/compare/comparison.hpp"

namespace tasktwin::verify {

/// What following the prediction would have chosen in one scenario on one machine.
struct WinnerComparison {
  std::string scenario;
  std::string machine;
  std::string predicted;  ///< the design of least predicted makespan, the first of equals
  std::string measured;   ///< the design of least measured makespan, the first of equals
  double regret = 0;      ///< measured makespan of the predicted winner / that of the measured winner − 1

  bool correct() const { return regret == 0; }
};

/// Whether the predicted order of designs is the measured one.
struct Ranking {
  std::vector<WinnerComparison> winners;  ///< scenarios with at least two designs, in the order of the cases
  std::optional<double> kendall_tau;      ///< τ-b over the pairs of designs within each scenario, pooled; absent without such pairs
};

Ranking rank_designs(std::span<const CaseComparison> cases);

}  // namespace tasktwin::verify
