#include "verify/design_comparison.hpp"

#include <algorithm>
#include <utility>

#include "verify/output/bounds_output.hpp"
#include "verify/remarks.hpp"
#include "verify/run_statistics.hpp"

namespace tasktwin::verify {

bool DesignComparison::varies() const {
  return std::ranges::any_of(standings, [](const Standing& standing) { return standing.makespans.size() > 1; });
}

DesignComparison compare_designs(const scenarios::Scenario& scenario, std::span<const Design> designs, const ComparisonOptions& options,
                                 Progress& progress) {
  DesignComparison result;
  result.seed = options.seed;
  result.runs = options.runs;
  for (const Design& design : designs) {
    RunSeries series = predict_runs(scenario, design, options.seed, options.runs, progress, options.keep_series);
    const Prediction& first = series.first;
    result.standings.push_back(
        {design, first.metrics, first.bounds, first.over_bound(), !first.timeline.dispatchers.empty(), series.makespans});
    for (const std::string& part : random_parts(scenario.graph, scenario.machine, design)) {
      if (std::ranges::find(result.random, part) == result.random.end()) result.random.push_back(part);
    }
    if (options.keep_series) result.series.push_back(std::move(series));
  }
  result.verdicts = judge_pairs(result.standings);
  result.best = &*std::ranges::min_element(result.standings, {}, &Standing::mean);
  result.winner = winner(result.standings, result.verdicts);
  return result;
}

Json to_json(const scenarios::Scenario& scenario, const DesignComparison& comparison) {
  Json object;
  add_provenance(object, scenario, comparison.seed);
  object["winner"] = comparison.winner != nullptr ? Json(comparison.winner->design.name) : Json(nullptr);
  object["best"] = comparison.best->design.name;
  object["runs"] = comparison.runs;
  object["random"] = comparison.random;
  object["designs"] = Json::array();
  for (const Standing& standing : comparison.standings) {
    const Distribution makespans = distribution(standing.makespans);
    object["designs"].push_back({{"design", standing.design.name},
                                 {"makespan_ns", to_ns(standing.metrics.makespan)},
                                 {"mean_ns", makespans.mean},
                                 {"sigma_ns", makespans.sigma},
                                 {"ratio_to_best", comparison.ratio(standing)},
                                 {"highest_bound_ns", to_ns(standing.bounds.highest())},
                                 {"highest_bound", highest_bound_name(standing.bounds)},
                                 {"ratio_to_bound", standing.over_bound},
                                 {"core_busy_share", standing.metrics.core_busy_share},
                                 {"dispatcher_busy_share", standing.metrics.dispatcher_busy_share},
                                 {"overhead_share", standing.metrics.overhead_share},
                                 {"resolved_design", design_to_json(standing.design)},
                                 {"remarks", remarks(scenario, standing.design)}});
  }
  object["pairs"] = Json::array();
  for (const PairVerdict& verdict : comparison.verdicts) object["pairs"].push_back(to_json(verdict));
  return object;
}

}  // namespace tasktwin::verify
