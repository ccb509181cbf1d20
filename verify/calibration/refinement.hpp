#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

/// A number of a machine that is sought, and what was measured that depends on it, with the simulator's word for it.
struct Unknown {
  std::function<double(const Machine&)> get;
  std::function<void(Machine&, double)> set;
  double known_to = 0.4;  ///< share of its present value by which that may be off: standard deviation of the logarithm
};
struct Target {
  std::function<double(const Machine&)> predict;
  double measured = 0;  ///< above 0
};

/// A ratio or a bandwidth, as an unknown.
Unknown of_constant(std::string_view key);

/// The unknowns for which simulations of `machine` come closest to what was measured: nonlinear least squares of the logarithms
/// (Levenberg 1944, Marquardt 1963) over those of the unknowns. Where `rugged`, because tasks change places and what is predicted jumps,
/// from several starts, and by turns with a search by larger steps. Each stays near its present value as well as that is known,
/// each target counts as if measured to 1 %; so what the targets say nothing of does not move. Unknowns of 0 stay so.
/// Intervals are those of the linearised fit, widened by what it leaves over; none where that would be wider than from a fifth to five
/// times the value.
std::vector<Estimate> fit_by_simulation(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets,
                                        bool rugged = false);

/// A micro-graph whose makespan without stamps is measured and predicted.
struct Trial {
  std::string graph;  ///< what samples call it
  TaskGraph tasks;
  Design design;
  int workers = 0;  ///< 0 for all cores
};

/// A constant to be refined, and how well it is known before.
struct Refined {
  std::string_view constant;
  double known_to = 0;  ///< as Unknown::known_to
};

/// Phases are timed under stamps, which take time themselves, and one by one; what counts is what they come to without stamps,
/// together. Fits `constants` to the makespans of `trials`; what only a disturbed host was at hand for does not count.
void refine(Calibration& calibration, const std::vector<Refined>& constants, const std::vector<Trial>& trials);

}  // namespace tasktwin::verify
