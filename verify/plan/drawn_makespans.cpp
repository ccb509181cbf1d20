#include "verify/plan/drawn_makespans.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/run_statistics.hpp"

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

std::string drawn_to_text(const std::string& scenario, const std::vector<DrawnMakespans>& drawn) {
  TextTable table({"design", "mean", "σ", "median", "p5", "p95", "min", "max"});
  for (const DrawnMakespans& one : drawn) {
    const Distribution of = distribution(one.makespans);
    table.add_row({one.design, format_us(of.mean), format_us(of.sigma), format_us(of.median), format_us(of.p5), format_us(of.p95),
                   format_us(of.min), format_us(of.max)});
  }
  return fmt::format("{}: simulated, makespans over {} draws\n{}", coloured(scenario, Tone::kStrong), drawn.front().makespans.size(),
                     table.to_string());
}

Json drawn_to_json(const std::string& scenario, const std::vector<DrawnMakespans>& drawn) {
  Json designs = Json::array();
  for (const DrawnMakespans& one : drawn) {
    const Distribution of = distribution(one.makespans);
    designs.push_back({{"design", one.design},
                       {"runs",
                        {{"simulated", of.runs},
                         {"mean_ns", of.mean},
                         {"median_ns", of.median},
                         {"p5_ns", of.p5},
                         {"p95_ns", of.p95},
                         {"min_ns", of.min},
                         {"max_ns", of.max},
                         {"sigma_ns", of.sigma},
                         {"makespans_ns", one.makespans}}}});
  }
  return {{"scenario", scenario}, {"draws", drawn.front().makespans.size()}, {"designs", std::move(designs)}};
}

}  // namespace tasktwin::verify
