#include "verify/run_bounds.hpp"

#include <fmt/format.h>

#include "models/checked_bounds.hpp"

namespace tasktwin::verify {

std::vector<Duration> captured_bodies(const scenarios::Scenario& scenario) {
  return scenario.program ? stated_times(scenario.graph) : std::vector<Duration>();
}

Bounds bounds_of(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::optional<Duration> makespan) {
  const std::vector<Duration> bodies = captured_bodies(scenario);
  const RunInputs inputs{.seed = seed, .bodies = bodies, .program = scenario.program ? &*scenario.program : nullptr};
  if (!makespan) return bounds_of_run(scenario.graph, scenario.machine, design, inputs);
  try {
    return checked_bounds(scenario.graph, scenario.machine, design, inputs, *makespan);
  } catch (const InternalError& fault) {
    throw in_scenario(scenario, fault);
  }
}

InternalError in_scenario(const scenarios::Scenario& scenario, const InternalError& fault) {
  return InternalError(fmt::format("scenario '{}', {}", scenario.name, fault.what()));
}

}  // namespace tasktwin::verify
