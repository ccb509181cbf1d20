#include "verify/predict/statistics.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/base/random.hpp"

namespace tasktwin::verify {
namespace {

/// Walks along the sorted values as a polyline over [0, 1].
double percentile_by_walking(std::vector<double> values, double q) {
  std::ranges::sort(values);
  if (values.size() == 1) return values[0];
  const double step = 1.0 / static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double left = static_cast<double>(i) * step;
    if (q <= left + step || i + 2 == values.size()) return values[i] + (values[i + 1] - values[i]) * (q - left) / step;
  }
  return values.back();
}

/// τ-b by its definition as a normalised sum of products of signs.
double tau_by_signs(const std::vector<double>& x, const std::vector<double>& y) {
  const auto sign = [](double value) { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; };
  double products = 0;
  double x_squares = 0;
  double y_squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      products += sign(x[i] - x[j]) * sign(y[i] - y[j]);
      x_squares += std::abs(sign(x[i] - x[j]));
      y_squares += std::abs(sign(y[i] - y[j]));
    }
  }
  return products / std::sqrt(x_squares * y_squares);
}

TEST(Percentile, LiesLinearlyBetweenRanks) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 10);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(percentile(values, 0.95), 38.5);
  EXPECT_DOUBLE_EQ(percentile(values, 1), 40);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

TEST(Percentile, EqualsWalkingAlongTheSortedValues) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values(static_cast<std::size_t>(random.between(1, 40)));
    for (double& value : values) value = static_cast<double>(random.between(-50, 50));
    const double q = random.uniform();
    EXPECT_NEAR(percentile(values, q), percentile_by_walking(values, q), 1e-9);
  }
}

TEST(KendallTau, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const std::vector<double> x{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(*kendall_pairs(x, std::vector<double>{10, 20, 30, 40}).tau_b(), 1);
  EXPECT_DOUBLE_EQ(*kendall_pairs(x, std::vector<double>{4, 3, 2, 1}).tau_b(), -1);
}

TEST(KendallTau, IsAbsentWhereNothingDiffers) {
  EXPECT_FALSE(kendall_pairs(std::vector<double>{1}, std::vector<double>{2}).tau_b());
  EXPECT_FALSE(kendall_pairs(std::vector<double>{1, 2, 3}, std::vector<double>{5, 5, 5}).tau_b());
}

TEST(KendallTau, EqualsTheSumOverSignsWithTies) {
  Random random(12);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    const auto size = static_cast<std::size_t>(random.between(2, 12));
    std::vector<double> x(size);
    std::vector<double> y(size);
    for (double& value : x) value = static_cast<double>(random.between(0, 5));
    for (double& value : y) value = static_cast<double>(random.between(0, 5));
    const double expected = tau_by_signs(x, y);
    const auto tau = kendall_pairs(x, y).tau_b();
    ASSERT_EQ(tau.has_value(), std::isfinite(expected));
    if (!tau) continue;
    EXPECT_NEAR(*tau, expected, 1e-12);
    ++compared;
  }
  EXPECT_GT(compared, 150);
}

}  // namespace
}  // namespace tasktwin::verify
