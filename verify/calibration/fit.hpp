#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "models/machine.hpp"

namespace tasktwin::verify {

/// A time as fits take it.
inline double ns(Duration time) { return static_cast<double>(time.count()); }

/// A value that was measured several times, or fitted, and how sure it is; it stands for its value.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval = {};  ///< absent where too few observations tell

  operator double() const { return value; }  // NOLINT(google-explicit-constructor)
};

/// The mean of the values between the 10th and the 90th percentile: robust against interruptions, and unlike a median
/// not bound to the steps of the timer. The interval is Tukey and McLaughlin's (1963), from the winsorised variance, as if the
/// values were independent. Contract: `values` is not empty.
Estimate trimmed_mean(std::span<const double> values);

/// The same; 0, without an interval, where there are no values.
Estimate mean_or_zero(std::span<const double> values);

/// A standard deviation that outliers do not decide.
double spread_of(std::vector<double> values);

/// Their median in ns. Contract: `times` is not empty.
double median_ns(std::span<const Duration> times);

/// One observation of a sum of constants: `value` ≈ Σ weights[i] · constant[i].
struct Observation {
  std::vector<double> weights;
  double value = 0;
};

/// The same by its relative error, so that the largest values do not decide alone. Contract: `value` is not 0.
Observation relative(std::vector<double> weights, double value);

/// Values observed under the same weights.
using ObservationGroups = std::map<std::vector<double>, std::vector<double>>;

/// Each group as one observation, its trimmed mean, however often it was seen: so the commonest does not decide alone.
/// Groups of fewer than 10 values are left out.
std::vector<Observation> group_means(const ObservationGroups& groups);

/// Ordinary least squares (Eigen's rank-revealing QR), one result per weight; constants cannot be negative: those that
/// come out so are set to 0 and the rest is fitted again. Intervals by Student's t and the residual variance; none for a constant
/// set to 0. Contract: all observations have equally many weights.
std::vector<Estimate> fit_constants(const std::vector<Observation>& observations);

}  // namespace tasktwin::verify
