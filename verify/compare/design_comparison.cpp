#include "verify/compare/design_comparison.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "verify/explain/explanation.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

Json path_to_json(const Standing& standing) {
  Json path = Json::object();
  for (const auto& [cause, word] : Words<PathCause>::entries)
    path[fmt::format("{}_ns", word)] = to_ns(standing.path_by_cause[static_cast<std::size_t>(cause)]);
  return path;
}

}  // namespace

bool DesignComparison::varies() const {
  return std::ranges::any_of(standings, [](const Standing& standing) { return standing.makespans.size() > 1; });
}

DesignComparison compare_designs(const scenarios::Scenario& scenario, std::span<const Design> designs, const ComparisonOptions& options,
                                 Progress& progress) {
  DesignComparison result;
  result.seed = options.seed;
  result.runs = options.runs;
  for (const Design& design : designs) {
    RunSeries series;
    try {
      series = predict_runs(scenario, design, options.seed, options.runs, progress, options.keep_series || options.causes,
                            sim::BandwidthSolver::kVirtualTime, options.jobs);
    } catch (const Interrupted&) {
      if (result.standings.empty()) throw;
      result.interrupted = true;
      break;
    }
    const Prediction& first = series.first;
    result.standings.push_back({design, assess(scenario, first), !first.timeline.dispatchers.empty(), series.makespans});
    const std::vector<std::string> random = random_parts(scenario.graph, scenario.machine, design);
    result.standings.back().random = !random.empty();
    if (options.causes) result.standings.back().path_by_cause = path_of(scenario, design, first.timeline, options.seed).by_cause;
    for (const std::string& part : random) {
      if (std::ranges::find(result.random, part) == result.random.end()) result.random.push_back(part);
    }
    if (options.keep_series) result.series.push_back(std::move(series));
  }
  result.verdicts = judge_pairs(result.standings);
  result.best = &*std::ranges::min_element(result.standings, {}, &Standing::mean);
  if (!result.interrupted) result.winner = winner(result.standings, result.verdicts);
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
                                 {"makespan_ns", to_ns(standing.assessment.metrics.makespan)},
                                 {"mean_ns", makespans.mean},
                                 {"sigma_ns", makespans.sigma},
                                 {"ratio_to_best", comparison.ratio(standing)},
                                 {"highest_bound_ns", to_ns(standing.assessment.bounds.highest())},
                                 {"highest_bound", highest_bound_name(standing.assessment.bounds)},
                                 {"ratio_to_bound", standing.assessment.over_bound},
                                 {"core_busy_share", standing.assessment.metrics.core_busy_share},
                                 {"dispatcher_busy_share", standing.assessment.metrics.dispatcher_busy_share},
                                 {"overhead_share", standing.assessment.metrics.overhead_share},
                                 {"resolved_design", design_to_json(standing.design)},
                                 {"remarks", remarks(scenario, standing.design)},
                                 {"makespans_ns", standing.makespans},
                                 {"path", path_to_json(standing)}});
  }
  if (comparison.interrupted) object["interrupted"] = true;
  object["pairs"] = Json::array();
  for (const PairVerdict& verdict : comparison.verdicts) object["pairs"].push_back(to_json(verdict));
  return object;
}

}  // namespace tasktwin::verify
