#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "verify/search/search_space.hpp"

namespace tasktwin::verify {

/// What the values of axes do to a score, each by itself: score = mean + the design's effect + the sum of the values' effects, by ridge
/// regression (Hoerl, Kennard 1970). Scores are logarithms, so that effects are factors.
class MainEffects {
 public:
  /// Adds to effects as if each value had been scored so often with the mean.
  static constexpr double kRidge = 0.5;

  /// Contract: at least one score.
  MainEffects(const SearchSpace& space, std::span<const std::pair<std::uint64_t, double>> scores, double ridge = kRidge);

  double at(const SearchPoint& point) const;
  /// The effects of the values of `axis` that were scored; 0 for others.
  std::span<const double> of_axis(std::size_t axis) const { return effects_[axis]; }
  std::span<const double> of_designs() const { return designs_; }
  /// Between the highest and the lowest effect.
  static double span_of(std::span<const double> effects);

 private:
  double mean_ = 0;
  std::vector<double> designs_;
  std::vector<std::vector<double>> effects_;  ///< by axis and value
};

/// Guesses scores of points from those of others: main effects, and what they leave by a Gaussian process (Rasmussen, Williams 2006) whose
/// covariance falls with the number of values that differ, those of axes of large effect more than others.
class Guide {
 public:
  /// Of more than kMostScores the best and the last ones are used.
  Guide(const SearchSpace& space, std::vector<std::pair<std::uint64_t, double>> scores);

  struct Guess {
    double score = 0;
    double sigma = 0;
  };
  Guess operator()(std::uint64_t number) const;

 private:
  static constexpr std::size_t kMostScores = 600;

  double covariance(const SearchPoint& a, const SearchPoint& b) const;

  const SearchSpace& space_;
  MainEffects effects_;
  std::vector<double> weights_;  ///< by axis, and of the design
  std::vector<SearchPoint> points_;
  double variance_ = 0;
  Eigen::LLT<Eigen::MatrixXd> covariances_;
  Eigen::VectorXd weighed_;
};

}  // namespace tasktwin::verify
