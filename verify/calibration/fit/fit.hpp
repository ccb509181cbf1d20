#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "models/machine/machine.hpp"

namespace tasktwin::verify {

/// A time as fits take it.
inline double ns(Duration time) { return static_cast<double>(time.count()); }

/// A value that was measured several times, or fitted, with its confidence; it converts to its value.
struct Estimate {
  Estimate(double estimated = 0, std::optional<Interval> within = {})  // NOLINT(google-explicit-constructor)
      : value(estimated), interval(within) {}

  double value;
  std::optional<Interval> interval;  ///< absent with too few observations

  operator double() const { return value; }  // NOLINT(google-explicit-constructor)
};

/// Sums and products of estimates that are independent; what is exactly known has no width. Of two of which one does not tell how sure it
/// is, as sure as the other.
Estimate sum_of(const Estimate& one, const Estimate& other);
Estimate product_of(const Estimate& estimate, double factor);

template <class T>
concept Number = std::is_arithmetic_v<T>;

inline Estimate operator+(const Estimate& one, const Estimate& other) { return sum_of(one, other); }
inline Estimate operator-(const Estimate& one, const Estimate& other) { return sum_of(one, product_of(other, -1)); }
Estimate operator+(const Estimate& estimate, Number auto exact) { return sum_of(estimate, static_cast<double>(exact)); }
Estimate operator-(const Estimate& estimate, Number auto exact) { return sum_of(estimate, -static_cast<double>(exact)); }
Estimate operator+(Number auto exact, const Estimate& estimate) { return sum_of(estimate, static_cast<double>(exact)); }
Estimate operator-(Number auto exact, const Estimate& estimate) { return sum_of(product_of(estimate, -1), static_cast<double>(exact)); }
Estimate operator*(const Estimate& estimate, Number auto factor) { return product_of(estimate, static_cast<double>(factor)); }
Estimate operator*(Number auto factor, const Estimate& estimate) { return product_of(estimate, static_cast<double>(factor)); }
Estimate operator/(const Estimate& estimate, Number auto divisor) { return product_of(estimate, 1 / static_cast<double>(divisor)); }

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

/// Ordinary least squares (Eigen's rank-revealing QR), one result per weight; constants cannot be negative: those that
/// come out so are set to 0 and the rest is fitted again. Intervals by Student's t and the residual variance; none for a constant
/// set to 0. Contract: all observations have equally many weights.
std::vector<Estimate> fit_constants(const std::vector<Observation>& observations);

/// Unknowns of fits have names: a template over a type of number with a member for each, and all() with their addresses. Of double they are
/// how often each is in a sum, of Estimate what was found.
template <class T>
struct Line {
  T intercept{};
  T slope{};
  auto all() { return std::array{&intercept, &slope}; }
};

template <class T>
struct Slope {
  T slope{};
  auto all() { return std::array{&slope}; }
};

/// `values` in the order of the names.
template <template <class> class Unknowns>
Unknowns<Estimate> named(const std::vector<Estimate>& values) {
  Unknowns<Estimate> found;
  const auto members = found.all();
  for (std::size_t i = 0; i < members.size(); ++i) *members[i] = values[i];
  return found;
}

template <template <class> class Unknowns>
class Fit {
 public:
  void observe(Unknowns<double> weights, double value) {
    Observation& observation = observations_.emplace_back(Observation{{}, value});
    for (const double* weight : weights.all()) observation.weights.push_back(*weight);
  }

  /// By the relative error, so that the largest values do not decide alone, of a sum that has `known` in it besides. Contract: `value` is
  /// not 0.
  void observe_relative(Unknowns<double> weights, double value, double known = 0) {
    for (double* weight : weights.all()) *weight /= value;
    observe(weights, 1 - known / value);
  }

  /// 0, without intervals, where nothing was observed.
  Unknowns<Estimate> solve() const { return observations_.empty() ? Unknowns<Estimate>{} : named<Unknowns>(fit_constants(observations_)); }

 private:
  std::vector<Observation> observations_;
};

/// Values observed under the same weights. Each group counts once in a fit, by its trimmed mean, however often it was seen: so the
/// commonest does not decide alone.
template <template <class> class Unknowns>
class Groups {
 public:
  struct Mean {
    Unknowns<double> weights;
    double value = 0;
  };

  std::vector<double>& operator[](const Unknowns<double>& weights) { return values_[weights]; }

  /// By their weights; groups of fewer than 10 values are left out.
  std::vector<Mean> means() const {
    constexpr std::size_t kFewest = 10;
    std::vector<Mean> means;
    for (const auto& [weights, values] : values_) {
      if (values.size() >= kFewest) means.push_back({weights, trimmed_mean(values)});
    }
    return means;
  }

 private:
  struct Before {
    bool operator()(Unknowns<double> one, Unknowns<double> other) const {
      return std::ranges::lexicographical_compare(
          one.all(), other.all(), {}, [](const double* weight) { return *weight; }, [](const double* weight) { return *weight; });
    }
  };

  std::map<Unknowns<double>, std::vector<double>, Before> values_;
};

}  // namespace tasktwin::verify
