#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::tests {

/// The design of `scenario` that is called `name`.
inline const Design& design_called(const scenarios::Scenario& scenario, std::string_view name) {
  const auto found = std::ranges::find(scenario.designs, name, &Design::name);
  if (found == scenario.designs.end()) throw std::logic_error(scenario.name + " has no design " + std::string(name));
  return *found;
}

inline Timeline simulated(const scenarios::Scenario& scenario, std::string_view design, std::uint64_t seed) {
  return sim::simulate(scenario.graph, scenario.machine, design_called(scenario, design), {.seed = seed}).timeline;
}

/// First dispatch to the last completion seen by a scheduler, in microseconds.
inline double window_us(const Timeline& timeline) {
  TimePoint first = TimePoint::max();
  for (const TaskTimes& times : timeline.tasks) {
    if (is_present(times.dispatched)) first = std::min(first, times.dispatched);
  }
  return static_cast<double>(to_ns(timeline.seen - first)) / 1000;
}

/// Means over the seeds 1 to `seeds`.
inline double mean_window_us(const scenarios::Scenario& scenario, std::string_view design, int seeds) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) sum += window_us(simulated(scenario, design, static_cast<std::uint64_t>(seed)));
  return sum / seeds;
}

inline double mean_makespan_us(const scenarios::Scenario& scenario, std::string_view design, int seeds) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    sum += static_cast<double>(to_ns(simulated(scenario, design, static_cast<std::uint64_t>(seed)).makespan())) / 1000;
  }
  return sum / seeds;
}

}  // namespace tasktwin::tests
