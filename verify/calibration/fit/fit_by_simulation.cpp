#include "verify/calibration/fit/fit_by_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Dense>

#include "models/base/random.hpp"
#include "verify/calibration/fit/side_by_side.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kTargetSigma = 0.01;
/// A step of the numerical derivative, to either side: wide enough that tasks that change places do not decide.
constexpr double kStep = 0.12;
constexpr int kIterations = 10;
constexpr double kEnough = 1e-3;  ///< share of the sum of squares by which an iteration must at least lower it
constexpr double kMostDamping = 1e4;
constexpr double kWorthAnother = 0.01;  ///< likewise, for a search to be followed by another descent
constexpr int kRounds = 2;
constexpr int kDraws = 12;
constexpr std::uint64_t kStartsSeed = 0x57a7;
constexpr double kWidest = 1.5;  ///< half of an interval of a logarithm that still says something

/// Residuals of targets and unknowns, in units of their sigma, as a function of the logarithms of how far the unknowns have moved.
class Objective {
 public:
  Objective(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets)
      : machine_(machine), targets_(targets) {
    for (const Unknown& unknown : unknowns) {
      if (unknown.get(machine) > 0) free_.push_back(unknown);
    }
    std::vector<SideBySide::Function> predictions;
    for (const Target& target : targets) {
      predictions.emplace_back([this, &target](std::span<const double> values) {
        Machine moved = machine_;
        for (std::size_t i = 0; i < free_.size(); ++i) free_[i].set(moved, values[i]);
        return target.predict(moved);
      });
    }
    predict_.emplace(std::move(predictions), 0);
  }

  Eigen::Index size() const { return std::ssize(free_); }
  double known_to(Eigen::Index unknown) const { return free_[static_cast<std::size_t>(unknown)].known_to; }

  double value(Eigen::Index unknown, const Eigen::VectorXd& moved) const {
    return free_[static_cast<std::size_t>(unknown)].get(machine_) * std::exp(moved(unknown));
  }

  Eigen::VectorXd residuals(const Eigen::VectorXd& moved) const { return residuals_at({moved}).front(); }

  /// Of several places, worked out side by side.
  std::vector<Eigen::VectorXd> residuals_at(const std::vector<Eigen::VectorXd>& places) const {
    std::vector<std::vector<double>> values;
    for (const Eigen::VectorXd& moved : places) {
      values.emplace_back();
      for (Eigen::Index i = 0; i < size(); ++i) values.back().push_back(value(i, moved));
    }
    const std::vector<std::vector<double>> predicted = predict_->at(values);
    std::vector<Eigen::VectorXd> residuals;
    for (std::size_t place = 0; place < places.size(); ++place) residuals.push_back(off_by(places[place], predicted[place]));
    return residuals;
  }

  /// `moved` by `step` one way and the other in each unknown, one after the other.
  std::vector<Eigen::VectorXd> around(const Eigen::VectorXd& moved, double step) const {
    std::vector<Eigen::VectorXd> places;
    for (Eigen::Index i = 0; i < size(); ++i) {
      for (const double further : {step, -step}) places.emplace_back(moved)(i) += further;
    }
    return places;
  }

  Eigen::MatrixXd slopes(const Eigen::VectorXd& moved) const {
    const std::vector<Eigen::VectorXd> beside = residuals_at(around(moved, kStep));
    Eigen::MatrixXd slopes(std::ssize(targets_) + size(), size());
    for (Eigen::Index i = 0; i < size(); ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      slopes.col(i) = (beside[at] - beside[at + 1]) / (2 * kStep);
    }
    return slopes;
  }

 private:
  Eigen::VectorXd off_by(const Eigen::VectorXd& moved, const std::vector<double>& predicted) const {
    Eigen::VectorXd all(std::ssize(targets_) + size());
    for (std::size_t i = 0; i < targets_.size(); ++i)
      all(static_cast<Eigen::Index>(i)) = std::log(std::max(1.0, predicted[i]) / targets_[i].measured) / kTargetSigma;
    for (Eigen::Index i = 0; i < size(); ++i) all(std::ssize(targets_) + i) = moved(i) / free_[static_cast<std::size_t>(i)].known_to;
    return all;
  }

  const Machine& machine_;
  const std::vector<Target>& targets_;
  std::vector<Unknown> free_;
  std::optional<SideBySide> predict_;
};

struct Minimum {
  Eigen::VectorXd moved;
  Eigen::VectorXd half_widths;  ///< of 95 % intervals
};

/// Where simulations have come to, and how far off they are there.
struct Place {
  Eigen::VectorXd moved;
  Eigen::VectorXd residuals;
  Eigen::MatrixXd normal;
};

/// Levenberg and Marquardt's descent from `place`.
void descend(const Objective& objective, Place& place) {
  auto& [moved, here, normal] = place;
  double damping = 1e-2;
  for (int iteration = 0; iteration < kIterations && damping < kMostDamping; ++iteration) {
    const Eigen::MatrixXd slopes = objective.slopes(moved);
    normal = slopes.transpose() * slopes;
    double gain = 0;
    for (; damping < kMostDamping && gain == 0; damping *= 8) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal() *= 1 + damping;
      const Eigen::VectorXd further = moved - damped.ldlt().solve(slopes.transpose() * here);
      const Eigen::VectorXd there = objective.residuals(further);
      if (there.squaredNorm() >= here.squaredNorm()) continue;
      gain = 1 - there.squaredNorm() / here.squaredNorm();
      moved = further;
      here = there;
      damping = std::max(1e-6, damping / 64);
    }
    if (gain < kEnough) break;
  }
}

/// Tries larger steps of each unknown (Hooke and Jeeves 1961), and goes all that help, one after the other, the most helpful first: tasks
/// that change places make hollows in which a descent gets stuck. Returns whether it got anywhere.
bool search(const Objective& objective, Place& place) {
  const double before = place.residuals.squaredNorm();
  for (const double step : {0.4, 0.2, 0.1}) {
    for (bool found = true; found;) {
      found = false;
      const Eigen::VectorXd from = place.moved;
      const std::vector<Eigen::VectorXd> places = objective.around(from, step);
      const std::vector<Eigen::VectorXd> residuals = objective.residuals_at(places);
      const auto enough = [&place](const Eigen::VectorXd& there) {
        return there.squaredNorm() < (1 - kEnough) * place.residuals.squaredNorm();
      };
      std::vector<std::size_t> helpful;
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (enough(residuals[i])) helpful.push_back(i);
      }
      std::ranges::sort(helpful, {}, [&residuals](std::size_t i) { return residuals[i].squaredNorm(); });
      for (const std::size_t i : helpful) {
        const Eigen::VectorXd moved = place.moved + places[i] - from;
        const Eigen::VectorXd there = found ? objective.residuals(moved) : residuals[i];
        if (!enough(there)) continue;
        place.moved = moved;
        place.residuals = there;
        found = true;
      }
    }
  }
  return place.residuals.squaredNorm() < (1 - kWorthAnother) * before;
}

/// The present values, and the best of some drawn about them as well as they are known.
std::vector<Place> starts(const Objective& objective, int draws) {
  std::vector<Eigen::VectorXd> moved{Eigen::VectorXd::Zero(objective.size())};
  Random random(kStartsSeed);
  for (int draw = 0; draw < draws; ++draw) {
    Eigen::VectorXd& drawn = moved.emplace_back(objective.size());
    for (Eigen::Index i = 0; i < objective.size(); ++i) drawn(i) = objective.known_to(i) * random.normal();
  }
  const std::vector<Eigen::VectorXd> residuals = objective.residuals_at(moved);
  std::vector<Place> places;
  for (std::size_t i = 0; i < moved.size(); ++i)
    places.push_back({moved[i], residuals[i], Eigen::MatrixXd::Identity(objective.size(), objective.size())});
  std::ranges::sort(places.begin() + 1, places.end(), {}, [](const Place& one) { return one.residuals.squaredNorm(); });
  // A draw is worth a descent of its own only where it begins nearer.
  const bool nearer = places.size() > 1 && places[1].residuals.squaredNorm() < places[0].residuals.squaredNorm();
  places.erase(places.begin() + (nearer ? 2 : 1), places.end());
  return places;
}

Minimum minimise(const Objective& objective, std::size_t targets, bool rugged) {
  std::optional<Place> best;
  for (Place& place : starts(objective, rugged ? kDraws : 0)) {
    descend(objective, place);
    for (int round = 1; rugged && round < kRounds && search(objective, place); ++round) descend(objective, place);
    if (!best || place.residuals.squaredNorm() < best->residuals.squaredNorm()) best = std::move(place);
  }
  const double left_over = std::sqrt(std::max(1.0, best->residuals.squaredNorm() / static_cast<double>(targets)));
  return {best->moved, 1.96 * left_over * best->normal.inverse().diagonal().cwiseSqrt()};
}

}  // namespace

Unknown of_constant(const ConstantField& constant, double known_to) {
  return {[&constant](const Machine& machine) { return constant.get(machine); },
          [&constant](Machine& machine, double value) { constant.set(machine, value); }, known_to};
}

Unknown of_kernel(Kernel kernel, Nanoseconds KernelCost::*member) {
  return {
      [kernel, member](const Machine& now) { return (now.kernel_cost(kernel).*member).count(); },
      [kernel, member](Machine& changed, double value) { changed.kernels[static_cast<std::size_t>(kernel)].*member = Nanoseconds{value}; }};
}

Unknown of_kernel(Kernel kernel, double KernelCost::*member) {
  return {[kernel, member](const Machine& now) { return now.kernel_cost(kernel).*member; },
          [kernel, member](Machine& changed, double value) { changed.kernels[static_cast<std::size_t>(kernel)].*member = value; }};
}

std::vector<Estimate> fit_by_simulation(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets,
                                        bool rugged) {
  const Objective objective(machine, unknowns, targets);
  const Minimum fit = minimise(objective, targets.size(), rugged);
  std::vector<Estimate> estimates;
  Eigen::Index next = 0;
  for (const Unknown& unknown : unknowns) {
    estimates.push_back({unknown.get(machine)});
    if (estimates.back().value <= 0) continue;
    const double value = objective.value(next, fit.moved);
    const double half = fit.half_widths(next++);
    estimates.back() = {value};
    if (half < kWidest) estimates.back().interval = Interval{value * std::exp(-half), value * std::exp(half)};
  }
  return estimates;
}

}  // namespace tasktwin::verify
