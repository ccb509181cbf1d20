#include "verify/plan/drawn_makespans.hpp"

#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/design_names.hpp"

namespace tasktwin::verify {

std::vector<DrawnMakespans> over_draws(const std::string& scenario, const std::string& designs, const std::string& plan,
                                       std::optional<std::uint64_t> seed, Progress& progress) {
  const std::size_t draws = scenarios::draws_of(scenario);
  if (draws == 0) throw InputError(fmt::format("--draws: '{}' has no draws; graph.draws has a row for each (docs/scenarios.md)", scenario));
  std::vector<DrawnMakespans> all;
  progress.expect(draws);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const std::array overrides{fmt::format("graph.draw={}", draw)};
    std::vector<Selection> selections{
        {scenario, scenarios::load_scenario_under(scenario, design_names(designs), overrides, check_admission), {}}};
    Selection& selection = selections.front();
    selection.designs = select_designs(selection.scenario, designs);
    if (!plan.empty()) follow_plan(plan, designs, selections);
    if (all.empty()) {
      for (const Design& design : selection.designs) all.push_back({design.name, {}});
    }
    progress.show(fmt::format("simulating draw {} of {}", draw, selection.scenario.name));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Duration makespan = predict_makespan(selection.scenario, selection.designs[i], seed.value_or(selection.scenario.seed));
      all[i].makespans.push_back(static_cast<double>(to_ns(makespan)));
    }
    progress.advance();
  }
  progress.clear();
  return all;
}

}  // namespace tasktwin::verify
