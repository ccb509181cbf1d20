#pragma once

#include <array>
#include <vector>

#include "verify/calibration/fit/fit_by_simulation.hpp"
#include "verify/calibration/probes/body_times.hpp"
#include "verify/calibration/probes/kernel_phases.hpp"

namespace tasktwin::verify {

/// A body that reads memory.
template <class T>
struct ReadSteps {
  T overhead{};
  T byte_of_few{};  ///< with few cores at it
  T byte_of_all{};
  T row{};
  T step{};
  auto all() { return std::array{&overhead, &byte_of_few, &byte_of_all, &row, &step}; }
};

/// Probes of a kernel that reads memory, and their bodies.
struct Readings {
  std::vector<BodyProbe> probes;
  std::vector<double> warm;
  KernelPhases phases;
  Fit<Line> spreads;  ///< BodyTimes::spread by BodyTimes::warm

  ReadSteps<Estimate> steps() const;
};

/// Probes of each size, in waves of these widths and of their own.
Readings read(Probes& probes, const Machine& known, const std::vector<BodyProbe>& sizes, const std::vector<int>& widths);

/// The same for bodies alone, of rows of other lengths, in waves of few and of their own.
void read_lengths(Probes& probes, const Machine& known, const std::vector<BodyProbe>& lengths, Readings& readings);

/// What the simulator makes of the readings: the waves' bodies do not start at one moment, so that they share the bandwidth for less than
/// their whole time. Contract: both outlive `targets`.
void add_targets(const Readings& readings, const std::vector<TaskGraph>& graphs, std::vector<Target>& targets);
std::vector<TaskGraph> graphs_of(const std::vector<BodyProbe>& probes);

}  // namespace tasktwin::verify
