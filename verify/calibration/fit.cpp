#include "verify/calibration/fit.hpp"

#include <algorithm>
#include <numeric>

#include <Eigen/Dense>

namespace tasktwin::verify {

double trimmed_mean(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t cut = sorted.size() / 10;
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto end = sorted.end() - static_cast<std::ptrdiff_t>(cut);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

std::vector<Observation> group_means(const ObservationGroups& groups) {
  constexpr std::size_t kFewest = 10;
  std::vector<Observation> observations;
  for (const auto& [weights, values] : groups) {
    if (values.size() >= kFewest) observations.push_back({weights, trimmed_mean(values)});
  }
  return observations;
}

std::vector<double> fit_constants(const std::vector<Observation>& observations) {
  const auto rows = static_cast<Eigen::Index>(observations.size());
  const std::size_t count = observations.empty() ? 0 : observations.front().weights.size();
  std::vector<std::size_t> active(count);
  std::iota(active.begin(), active.end(), std::size_t{0});
  std::vector<double> constants(count);
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
    for (std::size_t column = 0; column < active.size(); ++column)
      constants[active[column]] = std::max(0.0, fitted(static_cast<Eigen::Index>(column)));
    const auto negative = [&](std::size_t constant) { return constants[constant] == 0.0; };
    if (std::erase_if(active, negative) == 0) break;
  }
  return constants;
}

}  // namespace tasktwin::verify
