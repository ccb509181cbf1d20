#pragma once

#include <functional>
#include <vector>

#include "verify/calibration/fit/calibrated.hpp"

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

Unknown of_constant(const ConstantField& constant, double known_to = 0.4);
template <class M, class Of, class Value>
Unknown of_constant(Section<M> Machine::*held, Value Of::*constant, double known_to = 0.4) {
  return of_constant(constant_of(held, constant), known_to);
}
Unknown of_kernel(Kernel kernel, Nanoseconds KernelCost::*member);
Unknown of_kernel(Kernel kernel, double KernelCost::*member);

/// The unknowns for which simulations of `machine` come closest to what was measured: nonlinear least squares of the logarithms
/// (Levenberg 1944, Marquardt 1963) over those of the unknowns. Where `rugged`, because tasks change places and what is predicted jumps,
/// from several starts, and by turns with a search by larger steps. Each stays near its present value as well as that is known,
/// each target counts as if measured to 1 %; so what the targets say nothing of does not move. Unknowns of 0 stay so.
/// Intervals are those of the linearised fit, widened by what it leaves over; none where that would be wider than from a fifth to five
/// times the value.
std::vector<Estimate> fit_by_simulation(const Machine& machine, const std::vector<Unknown>& unknowns, const std::vector<Target>& targets,
                                        bool rugged = false);

/// Of unknowns with names, as Fit has them.
template <template <class> class Unknowns>
Unknowns<Estimate> fit_by_simulation(const Machine& machine, Unknowns<Unknown> unknowns, const std::vector<Target>& targets) {
  std::vector<Unknown> listed;
  for (const Unknown* const unknown : unknowns.all()) listed.push_back(*unknown);
  return named<Unknowns>(fit_by_simulation(machine, listed, targets));
}

inline Estimate fit_by_simulation(const Machine& machine, const Unknown& unknown, const std::vector<Target>& targets) {
  return fit_by_simulation(machine, std::vector{unknown}, targets).front();
}

}  // namespace tasktwin::verify
