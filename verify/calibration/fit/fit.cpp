#include "verify/calibration/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <boost/math/distributions/students_t.hpp>

#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

/// Half the width of a 95 % interval of something with standard error `error`.
double half_width(double error, double degrees_of_freedom) {
  return error * boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
}

Interval around(double value, double half) { return {value - half, value + half}; }

double half_of(const Estimate& estimate) { return estimate.interval ? (estimate.interval->high - estimate.interval->low) / 2 : 0; }

}  // namespace

Estimate sum_of(const Estimate& one, const Estimate& other) {
  Estimate sum{one.value + other.value};
  if (one.interval || other.interval) sum.interval = around(sum.value, std::hypot(half_of(one), half_of(other)));
  return sum;
}

Estimate product_of(const Estimate& estimate, double factor) {
  Estimate product{factor * estimate.value};
  if (estimate.interval) product.interval = around(product.value, std::abs(factor) * half_of(estimate));
  return product;
}

Estimate trimmed_mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t cut = sorted.size() / 10;
  const std::size_t kept = sorted.size() - 2 * cut;
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto end = sorted.end() - static_cast<std::ptrdiff_t>(cut);
  Estimate estimate{std::accumulate(begin, end, 0.0) / static_cast<double>(kept)};
  if (kept < 2) return estimate;

  std::fill(sorted.begin(), begin, *begin);
  std::fill(end, sorted.end(), *(end - 1));
  const auto count = static_cast<double>(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1)) / (static_cast<double>(kept) / count * std::sqrt(count));
  estimate.interval = around(estimate.value, half_width(error, static_cast<double>(kept) - 1));
  return estimate;
}

Estimate mean_or_zero(std::span<const double> values) { return values.empty() ? Estimate{} : trimmed_mean(values); }

double spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) { return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))]; };
  return (at(0.84) - at(0.16)) / 2;
}

double median_ns(std::span<const Duration> times) {
  std::vector<double> values;
  for (const Duration time : times) values.push_back(ns(time));
  return median(values);
}

std::vector<Estimate> fit_constants(const std::vector<Observation>& observations) {
  const auto rows = static_cast<Eigen::Index>(observations.size());
  const std::size_t count = observations.empty() ? 0 : observations.front().weights.size();
  std::vector<std::size_t> active(count);
  std::iota(active.begin(), active.end(), std::size_t{0});
  std::vector<Estimate> constants(count);
  while (!active.empty()) {
    Eigen::MatrixXd weights(rows, static_cast<Eigen::Index>(active.size()));
    Eigen::VectorXd values(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Observation& observation = observations[static_cast<std::size_t>(row)];
      for (std::size_t column = 0; column < active.size(); ++column)
        weights(row, static_cast<Eigen::Index>(column)) = observation.weights[active[column]];
      values(row) = observation.value;
    }
    const Eigen::VectorXd fitted = weights.colPivHouseholderQr().solve(values);
    const auto freedom = rows - static_cast<Eigen::Index>(active.size());
    const Eigen::MatrixXd covariance = (weights.transpose() * weights).completeOrthogonalDecomposition().pseudoInverse();
    const double variance = freedom > 0 ? (weights * fitted - values).squaredNorm() / static_cast<double>(freedom) : 0;
    for (std::size_t column = 0; column < active.size(); ++column) {
      const auto at = static_cast<Eigen::Index>(column);
      Estimate& constant = constants[active[column]];
      constant = {std::max(0.0, fitted(at))};
      if (freedom > 0 && constant.value > 0)
        constant.interval = around(constant.value, half_width(std::sqrt(variance * covariance(at, at)), static_cast<double>(freedom)));
    }
    const auto negative = [&](std::size_t constant) { return constants[constant].value == 0.0; };
    if (std::erase_if(active, negative) == 0) break;
  }
  return constants;
}

}  // namespace tasktwin::verify
