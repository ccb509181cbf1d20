#include "verify/predict/run_bounds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/bounds/checked_bounds.hpp"
#include "models/run/fallback.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

std::vector<Duration> captured_bodies(const scenarios::Scenario& scenario) {
  if (scenario.program) return stated_times(scenario.graph);
  if (!scenario.imported || !scenario.imported->profiled) return {};
  std::vector<Duration> bodies = stated_times(scenario.graph);
  std::ranges::replace(bodies, Duration{0}, Duration{-1});  // a node that the trace has no time of is the machine's
  return bodies;
}

Bounds bounds_of(const scenarios::Scenario& scenario, const Design& stated, std::uint64_t seed, std::optional<Duration> makespan) {
  const std::vector<Duration> bodies = captured_bodies(scenario);
  const Design design = design_of_run(scenario.graph, scenario.machine, stated);
  const TaskGraph& graph = scenario.needed ? *scenario.needed : scenario.graph;
  const RunInputs inputs{.seed = seed, .bodies = bodies, .program = scenario.program ? &*scenario.program : nullptr};
  if (!makespan) return bounds_of_run(graph, scenario.machine, design, inputs);
  try {
    return checked_bounds(graph, scenario.machine, design, inputs, *makespan);
  } catch (const InternalError& fault) {
    throw in_scenario(scenario, fault);
  }
}

std::string below_bound(const scenarios::Scenario& scenario, const Design& design, std::span<const double> makespans) {
  const bool random = !random_parts(scenario.graph, scenario.machine, design).empty();
  double bound = 0;
  for (std::size_t run = 0; run < makespans.size(); ++run) {
    if (run == 0 || random) bound = static_cast<double>(to_ns(bounds_of(scenario, design, scenario.seed + run).highest()));
    if (makespans[run] < bound)
      return fmt::format("of {}, run {} took {} ns, less than its lower bound of {} ns", scenario.name, run, makespans[run], bound);
  }
  return {};
}

InternalError in_scenario(const scenarios::Scenario& scenario, const InternalError& fault) {
  return InternalError(fmt::format("scenario '{}', {}", scenario.name, fault.what()));
}

}  // namespace tasktwin::verify
