#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "verify/calibration/fit/fit_by_simulation.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// A micro-graph whose makespan without stamps is measured and predicted.
struct MakespanTrial {
  std::string graph;  ///< what samples call it
  TaskGraph tasks;
  Design design;
  int workers = 0;  ///< 0 for all cores
};

/// A constant to be refined, and how well it is known before.
struct Refined {
  const ConstantField* constant = nullptr;
  double known_to = 0;  ///< as Unknown::known_to
};

/// Constants of one mechanism, all known alike.
template <class M>
std::vector<Refined> known_to(double share, Section<M> Machine::*held,
                              std::initializer_list<std::type_identity_t<Nanoseconds M::*>> constants) {
  std::vector<Refined> refined;
  for (const auto constant : constants) refined.push_back({&constant_of(held, constant), share});
  return refined;
}

/// Constants, each with what it was found to be.
struct Refinement {
  std::vector<std::pair<const ConstantField*, Estimate>> constants;
  std::string how;

  /// Adds this to the method of each.
  void into(Machine& machine) const;
};

/// Phases are timed under stamps, which take time themselves, and one by one; what counts is what they come to without stamps,
/// together. Fits `constants` of `known` to the makespans of `trials`; what only a disturbed host was at hand for does not count.
Refinement refine(Probes& probes, const Machine& known, const std::vector<Refined>& constants, const std::vector<MakespanTrial>& trials);

/// What was measured of `trial`, and what the simulator says of it for the host's pace meanwhile; absent where only a disturbed host was at
/// hand. Its lists are planned by what `known` says of times. Contract: `trial` outlives the target.
std::optional<Target> measure_trial(Probes& probes, const Machine& known, const MakespanTrial& trial);

/// Of all `trials` that could be measured. They outlive the targets, so temporary ones are not taken.
std::vector<Target> measure_trials(Probes& probes, const Machine& known, const std::vector<MakespanTrial>& trials);
std::vector<Target> measure_trials(Probes& probes, const Machine& known, std::vector<MakespanTrial>&& trials) = delete;

/// What is refined together: constants, and trials of the design that is the first to need them.
struct Family {
  std::string name;
  std::vector<Refined> constants;
  std::vector<MakespanTrial> trials;
};

/// The host's calls on streams.
Family streams_family();

/// Hops and steps of persistent designs; each family builds on the ones before it.
std::vector<Family> scheduling_families();

/// What a pass over a dispatcher's lanes takes, by makespans under few dispatchers; of several, which make one pass, an iteration stays as
/// long as `known` has it. Contract: `known` states it and where it is from.
Calibrated<mechanism::DeviceControl> refine_few_dispatchers(Probes& probes, const Machine& known);

}  // namespace tasktwin::verify
