#include "verify/search/search_guide.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

namespace tasktwin::verify {

namespace {

/// Of a score's own variance: what neither effects nor neighbours explain.
constexpr double kNoise = 1e-3;

/// Of the effects' residual.
constexpr double kTolerance = 1e-10;

std::vector<std::pair<std::uint64_t, double>> best_and_last(std::vector<std::pair<std::uint64_t, double>> scores, std::size_t most) {
  if (scores.size() <= most) return scores;
  const auto half = static_cast<std::ptrdiff_t>(most / 2);
  std::vector<std::pair<std::uint64_t, double>> kept(scores.end() - half, scores.end());
  scores.resize(scores.size() - static_cast<std::size_t>(half));
  std::ranges::stable_sort(scores, {}, [](const auto& entry) { return entry.second; });
  kept.insert(kept.end(), scores.begin(), scores.begin() + half);
  return kept;
}

/// How unlike two values of an axis are, 0 to 1.
double distance(const SearchAxis& axis, int a, int b) {
  if (a == b) return 0;
  if (a == kNoValue || b == kNoValue || !axis.ordered) return 1;
  return std::abs(a - b) / static_cast<double>(axis.values.size() - 1);
}

}  // namespace

MainEffects::MainEffects(const SearchSpace& space, std::span<const std::pair<std::uint64_t, double>> scores, double ridge) {
  // A column for each design, and for each value of each axis.
  std::vector<Eigen::Index> first;
  auto columns = static_cast<Eigen::Index>(space.designs().size());
  for (const SearchAxis& axis : space.axes()) {
    first.push_back(columns);
    columns += std::ssize(axis.values);
  }
  for (const auto& [number, score] : scores) mean_ += score / static_cast<double>(scores.size());
  // A row for each score, and one for each column that holds it at 0. Few of their numbers are not 0: columns may be thousands.
  std::vector<Eigen::Triplet<double, Eigen::Index>> ones;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(std::ssize(scores) + columns);
  for (Eigen::Index row = 0; row < std::ssize(scores); ++row) {
    const auto& [number, score] = scores[static_cast<std::size_t>(row)];
    const SearchPoint point = space.at(number);
    right(row) = score - mean_;
    ones.emplace_back(row, static_cast<Eigen::Index>(point.design), 1.0);
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      if (point.values[axis] != kNoValue) ones.emplace_back(row, first[axis] + point.values[axis], 1.0);
    }
  }
  for (Eigen::Index column = 0; column < columns; ++column) ones.emplace_back(std::ssize(scores) + column, column, std::sqrt(ridge));
  using Rows = Eigen::SparseMatrix<double, Eigen::ColMajor, Eigen::Index>;
  Rows rows(right.size(), columns);
  rows.setFromTriplets(ones.begin(), ones.end());
  Eigen::LeastSquaresConjugateGradient<Rows> solver(rows);
  solver.setTolerance(kTolerance);
  const Eigen::VectorXd effects = solver.solve(right);
  for (std::size_t design = 0; design < space.designs().size(); ++design) designs_.push_back(effects(static_cast<Eigen::Index>(design)));
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    const auto begin = effects.begin() + first[axis];
    effects_.emplace_back(begin, begin + std::ssize(space.axes()[axis].values));
  }
}

double MainEffects::at(const SearchPoint& point) const {
  double score = mean_ + designs_[point.design];
  for (std::size_t axis = 0; axis < effects_.size(); ++axis) {
    if (point.values[axis] != kNoValue) score += effects_[axis][static_cast<std::size_t>(point.values[axis])];
  }
  return score;
}

double MainEffects::span_of(std::span<const double> effects) {
  if (effects.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(effects);
  return high - low;
}

Guide::Guide(const SearchSpace& space, std::vector<std::pair<std::uint64_t, double>> scores) : space_(space), effects_(space, scores) {
  // A value of the axis of the largest effect takes the covariance to exp(-3); one of none leaves most of it.
  constexpr double kLeast = 0.15;
  constexpr double kMore = 2.85;
  std::vector<double> spans;
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) spans.push_back(MainEffects::span_of(effects_.of_axis(axis)));
  spans.push_back(MainEffects::span_of(effects_.of_designs()));
  const double largest = std::max(1e-12, std::ranges::max(spans));
  for (const double span : spans) weights_.push_back(kLeast + kMore * span / largest);

  scores = best_and_last(std::move(scores), kMostScores);
  Eigen::VectorXd left(std::ssize(scores));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    points_.push_back(space.at(scores[i].first));
    left(static_cast<Eigen::Index>(i)) = scores[i].second - effects_.at(points_.back());
  }
  variance_ = std::max(1e-12, left.squaredNorm() / static_cast<double>(scores.size()));
  Eigen::MatrixXd all(left.size(), left.size());
  for (Eigen::Index i = 0; i < left.size(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      all(i, j) = all(j, i) = covariance(points_[static_cast<std::size_t>(i)], points_[static_cast<std::size_t>(j)]);
    }
    all(i, i) += kNoise * variance_;
  }
  covariances_.compute(all);
  weighed_ = covariances_.solve(left);
}

double Guide::covariance(const SearchPoint& a, const SearchPoint& b) const {
  double unlike = a.design == b.design ? 0 : weights_.back();
  for (std::size_t axis = 0; axis < space_.axes().size(); ++axis)
    unlike += weights_[axis] * distance(space_.axes()[axis], a.values[axis], b.values[axis]);
  return variance_ * std::exp(-unlike);
}

Guide::Guess Guide::operator()(std::uint64_t number) const {
  const SearchPoint point = space_.at(number);
  Eigen::VectorXd near(std::ssize(points_));
  for (std::size_t i = 0; i < points_.size(); ++i) near(static_cast<Eigen::Index>(i)) = covariance(point, points_[i]);
  const double known = near.dot(covariances_.solve(near));
  return {effects_.at(point) + near.dot(weighed_), std::sqrt(std::max(0.0, variance_ - known))};
}

}  // namespace tasktwin::verify
