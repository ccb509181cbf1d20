#include "verify/prediction.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/body_cost.hpp"
#include "models/error.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {

namespace {

const Design& find_design(const scenarios::Scenario& scenario, std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto designs : {std::span<const Design>(scenario.designs), named_designs()}) {
    for (const Design& design : designs) {
      if (design.name == name) return design;
      if (std::ranges::find(known, design.name) == known.end()) known.push_back(design.name);
    }
  }
  throw InputError(fmt::format("--designs: unknown design '{}'{}", name, suggest(name, known)));
}

}  // namespace

double Prediction::over_bound() const {
  const auto bound = static_cast<double>(to_ns(bounds.highest()));
  return bound > 0 ? static_cast<double>(to_ns(metrics.makespan)) / bound : 0;
}

Prediction predict(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed) {
  constexpr double kShortestRun = 1e-9;  // a clock that has not moved would give an infinite rate
  sim::Simulation simulation = sim::simulate(scenario.graph, scenario.machine, design, {.seed = seed});
  Prediction prediction{.design = design, .timeline = std::move(simulation.timeline), .metrics = {}, .bounds = {}};
  prediction.metrics = measure(scenario.graph, prediction.timeline);
  prediction.bounds = lower_bounds(scenario.graph, scenario.machine, worker_cores(design, scenario.machine),
                                   expected_durations(scenario.graph, scenario.machine));
  prediction.tasks_per_second = static_cast<double>(scenario.graph.size()) / std::max(simulation.wall_seconds, kShortestRun);
  return prediction;
}

std::vector<Design> select_designs(const scenarios::Scenario& scenario, const std::string& names) {
  std::vector<Design> designs;
  if (names.empty()) {
    designs = scenario.designs;
  } else {
    for (std::size_t begin = 0; begin <= names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      const Design& design = find_design(scenario, std::string_view(names).substr(begin, end - begin));
      if (std::ranges::find(designs, design.name, &Design::name) != designs.end()) {
        throw InputError(fmt::format("--designs: '{}' is named twice", design.name));
      }
      designs.push_back(design);
      begin = end + 1;
    }
  }
  if (designs.empty()) throw InputError(fmt::format("scenario '{}' has no designs of its own; choose some with --designs", scenario.name));
  for (const Design& design : designs) check_design(design, scenario.machine);
  return designs;
}

std::vector<Selection> load_selections(const std::vector<std::string>& arguments, const std::string& designs, Progress& progress) {
  std::vector<Selection> selections;
  for (const std::string& argument : arguments) {
    progress.show(fmt::format("reading {}", argument));
    Selection selection{argument, scenarios::load_scenario(argument), {}};
    selection.designs = select_designs(selection.scenario, designs);
    selections.push_back(std::move(selection));
  }
  progress.clear();
  return selections;
}

}  // namespace tasktwin::verify
