#include "verify/calibration/refinement.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "sim/simulator.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kTargetSigma = 0.01;
/// A step of the numerical derivative, to either side: wide enough that tasks that change places do not decide.
constexpr double kStep = 0.12;
constexpr int kIterations = 20;
constexpr double kEnough = 1e-4;  ///< share of the sum of squares by which an iteration must at least lower it
constexpr double kMostDamping = 1e4;
constexpr double kWidest = 1.5;  ///< half of an interval of a logarithm that still says something

/// Residuals of targets and unknowns, in units of their sigma, as a function of the logarithms of how far the unknowns have moved.
class Objective {
 public:
  Objective(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets)
      : machine_(machine), targets_(targets) {
    for (const Unknown& unknown : unknowns) {
      if (unknown.get(machine) > 0) free_.push_back(unknown);
    }
  }

  Eigen::Index size() const { return std::ssize(free_); }

  double value(Eigen::Index unknown, const Eigen::VectorXd& moved) const {
    return free_[static_cast<std::size_t>(unknown)].get(machine_) * std::exp(moved(unknown));
  }

  Eigen::VectorXd residuals(const Eigen::VectorXd& moved) const {
    Machine machine = machine_;
    for (Eigen::Index i = 0; i < size(); ++i) free_[static_cast<std::size_t>(i)].set(machine, value(i, moved));
    Eigen::VectorXd all(std::ssize(targets_) + size());
    for (Eigen::Index i = 0; i < std::ssize(targets_); ++i) {
      const Target& target = targets_[static_cast<std::size_t>(i)];
      all(i) = std::log(std::max(1.0, target.predict(machine)) / target.measured) / kTargetSigma;
    }
    for (Eigen::Index i = 0; i < size(); ++i) all(std::ssize(targets_) + i) = moved(i) / free_[static_cast<std::size_t>(i)].known_to;
    return all;
  }

  Eigen::MatrixXd slopes(const Eigen::VectorXd& moved) const {
    Eigen::MatrixXd slopes(std::ssize(targets_) + size(), size());
    for (Eigen::Index i = 0; i < size(); ++i) {
      Eigen::VectorXd above = moved;
      Eigen::VectorXd below = moved;
      above(i) += kStep;
      below(i) -= kStep;
      slopes.col(i) = (residuals(above) - residuals(below)) / (2 * kStep);
    }
    return slopes;
  }

 private:
  const Machine& machine_;
  const std::vector<Target>& targets_;
  std::vector<Unknown> free_;
};

struct Fit {
  Eigen::VectorXd moved;
  Eigen::VectorXd half_widths;  ///< of 95 % intervals
};

Fit minimise(const Objective& objective, std::size_t targets) {
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(objective.size());
  Eigen::VectorXd here = objective.residuals(moved);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(objective.size(), objective.size());
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
  const double left_over = std::sqrt(std::max(1.0, here.squaredNorm() / static_cast<double>(targets)));
  return {moved, 1.96 * left_over * normal.inverse().diagonal().cwiseSqrt()};
}

}  // namespace

std::vector<Estimate> fit_by_simulation(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets) {
  const Objective objective(machine, unknowns, targets);
  const Fit fit = minimise(objective, targets.size());
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

void refine(Calibration& calibration, const std::vector<std::string_view>& constants, double known_to, const std::vector<Trial>& trials) {
  std::vector<Unknown> unknowns;
  for (const std::string_view name : constants) {
    const ConstantField& field = *std::ranges::find(constant_fields(), name, &ConstantField::name);
    unknowns.push_back({[&field](const Machine& machine) { return field.get(machine.constants); },
                        [&field](Machine& machine, double value) { field.set(machine.constants, value); }, known_to});
  }
  std::vector<Target> targets;
  for (const Trial& trial : trials) {
    const std::string what = trial.graph + " under " + trial.design.name +
                             (trial.workers > 0 ? " on " + std::to_string(trial.workers) + " cores" : std::string());
    const gpu::Measurement measurement = calibration.run(what, trial.tasks, trial.design, 5, trial.workers);
    const double measured = median_ns(measurement.makespans);
    calibration.keep_sample("makespan", what, measured);
    targets.push_back({[&trial, host_call = measurement.host_call](const Machine& machine) {
                         Machine smaller = machine;
                         smaller.host_slowdown = host_slowdown(trial.design, machine, host_call);
                         if (trial.workers > 0) smaller.compute_cores = {{CoreType::kSm, trial.workers}};
                         return static_cast<double>(sim::simulate(trial.tasks, smaller, trial.design).timeline.makespan().count());
                       },
                       measured});
  }
  const std::vector<Estimate> found = fit_by_simulation(calibration.machine(), unknowns, targets);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (found[i].value > 0)
      calibration.refine(constants[i], found[i],
                         "refined by makespans of " + std::to_string(trials.size()) + " micro-graphs without stamps");
  }
}

}  // namespace tasktwin::verify
