#pragma once

#include <vector>

#include "models/bounds.hpp"
#include "models/design.hpp"
#include "models/metrics.hpp"
#include "models/timeline.hpp"
#include "scenarios/scenario.hpp"
#include "verify/output/terminal.hpp"

namespace tasktwin::verify {

/// One design, simulated, with what its timeline says.
struct Prediction {
  Design design;
  Timeline timeline;
  Metrics metrics;
  Bounds bounds;                ///< with the cores that the design leaves for tasks
  double tasks_per_second = 0;  ///< simulated, per wall second of the run loop

  /// Makespan over the highest bound; 0 where there is no bound.
  double over_bound() const;
};

Prediction predict(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed);

/// A scenario as a command takes it: where it came from, and the designs chosen for it.
struct Selection {
  std::string argument;
  scenarios::Scenario scenario;
  std::vector<Design> designs;
};

/// The designs named in `names` ("a,b"): of the scenario, else named ones; all of the scenario's where `names` is empty.
/// Throws InputError for an unknown, repeated or impossible one.
std::vector<Design> select_designs(const scenarios::Scenario& scenario, const std::string& names);

/// Loads every scenario and chooses its designs.
std::vector<Selection> load_selections(const std::vector<std::string>& arguments, const std::string& designs, Progress& progress);

}  // namespace tasktwin::verify
