#include "verify/predict/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tasktwin::verify {

namespace {

std::vector<double> as_numbers(const std::vector<Duration>& durations) {
  std::vector<double> numbers;
  numbers.reserve(durations.size());
  for (const Duration duration : durations) numbers.push_back(static_cast<double>(to_ns(duration)));
  return numbers;
}

}  // namespace

double percentile(std::span<const double> values, double q) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) { return percentile(values, 0.5); }

Duration median_duration(const std::vector<Duration>& durations) { return Duration{std::llround(median(as_numbers(durations)))}; }

double noise(const std::vector<Duration>& durations) {
  const std::vector<double> numbers = as_numbers(durations);
  return (percentile(numbers, 0.75) - percentile(numbers, 0.25)) / median(numbers);
}

KendallPairs& KendallPairs::operator+=(const KendallPairs& other) {
  concordant += other.concordant;
  discordant += other.discordant;
  tied_x += other.tied_x;
  tied_y += other.tied_y;
  return *this;
}

std::optional<double> KendallPairs::tau_b() const {
  const auto ordered = static_cast<double>(concordant + discordant);
  const double scale = std::sqrt((ordered + static_cast<double>(tied_x)) * (ordered + static_cast<double>(tied_y)));
  if (scale == 0) return std::nullopt;
  return static_cast<double>(concordant - discordant) / scale;
}

KendallPairs kendall_pairs(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  KendallPairs pairs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      const bool same_x = x[i] == x[j];
      const bool same_y = y[i] == y[j];
      if (same_x && same_y) continue;
      if (same_x) {
        ++pairs.tied_x;
      } else if (same_y) {
        ++pairs.tied_y;
      } else if ((x[i] < x[j]) == (y[i] < y[j])) {
        ++pairs.concordant;
      } else {
        ++pairs.discordant;
      }
    }
  }
  return pairs;
}

}  // namespace tasktwin::verify
