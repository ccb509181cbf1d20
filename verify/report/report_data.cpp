#include "verify/report/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "verify/explain/explanation.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/predict/run_statistics.hpp"
#include "verify/report/graph_data.hpp"
#include "verify/report/machine_data.hpp"
#include "verify/report/measured_pairs.hpp"
#include "verify/report/pair_data.hpp"
#include "verify/report/run_data.hpp"
#include "verify/rerun/rerun_text.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kFormat = 1;

Json whole_numbers(const std::vector<double>& times) {
  Json array = Json::array();
  for (const double time : times) array.push_back(std::llround(time));
  return array;
}

/// The 95 % confidence interval of the mean; null where the runs are equal.
Json interval(const std::vector<double>& makespans) {
  if (std::ranges::adjacent_find(makespans, std::not_equal_to{}) == makespans.end()) return nullptr;
  const PairedDifference mean = paired_difference(makespans, std::vector<double>(makespans.size(), 0.0));
  return {mean.low, mean.high};
}

Json design_data(const ReportedScenario& reported, std::size_t d, const DesignAccount& account) {
  const Prediction& prediction = reported.outcome.series[d].first;
  const Standing& standing = reported.outcome.standings[d];
  const FoundMeasurement& found = reported.measurements[d];
  const bool bounded = standing.assessment.bounds.highest() > Duration{};
  return {
      {"name", standing.design.name},
      {"axes", design_to_json(standing.design)},
      {"bound_ns", to_ns(standing.assessment.bounds.highest())},
      {"bound", bounded ? highest_bound_name(standing.assessment.bounds) : ""},
      {"makespans_ns", whole_numbers(standing.makespans)},
      {"mean_ns", standing.mean()},
      {"interval_ns", interval(standing.makespans)},
      {"predicted", run_data({.design = standing.design,
                              .timeline = prediction.timeline,
                              .metrics = standing.assessment.metrics,
                              .path = account.path,
                              .idle = account.idle,
                              .all_cores = account.all_cores,
                              .program = reported.scenario.program ? &*reported.scenario.program : nullptr})},
      {"measured", found.recorded ? measured_data(reported.scenario, prediction, reported.outcome.seed, *found.recorded) : Json(nullptr)},
      {"not_measured", found.why_none}};
}

std::vector<MeasuredTimes> measured_designs(const ReportedScenario& reported) {
  std::vector<MeasuredTimes> times;
  for (const FoundMeasurement& found : reported.measurements) {
    if (found.recorded) times.push_back(measured_times(found.recorded->design, found.recorded->makespans));
  }
  return times;
}

Json sensitivity_data(const Sensitivity& sensitivity) {
  Json rows = Json::array();
  for (const QuantityEffect& effect : sensitivity.effects) {
    Json makespans = Json::array();
    for (const Duration makespan : effect.makespans) makespans.push_back(to_ns(makespan));
    rows.push_back({{"constant", effect.quantity},
                    {"unit", unit_of(effect.quantity)},
                    {"value", effect.value},
                    {"factor", kSensitivityFactor},
                    {"makespans_ns", std::move(makespans)}});
  }
  return rows;
}

Json advice_data(const std::optional<Advice>& advice) {
  if (!advice) return nullptr;
  Json data = advice_to_json(*advice);
  data["order"] = order_sentences(*advice);
  for (const char* const unread : {"waits", "stream_order", "unordered", "knows_memory"}) data.erase(unread);
  return data;
}

}  // namespace

Json scenario_data(const ReportedScenario& reported) {
  const scenarios::Scenario& scenario = reported.scenario;
  std::vector<DesignAccount> accounts;
  for (std::size_t d = 0; d < reported.outcome.series.size(); ++d)
    accounts.push_back(account(scenario, reported.outcome.series[d].first, reported.outcome.standings[d].assessment));
  Json designs = Json::array();
  for (std::size_t d = 0; d < reported.outcome.series.size(); ++d) designs.push_back(design_data(reported, d, accounts[d]));
  std::vector<const Design*> compared;
  for (const Standing& one : reported.outcome.standings) compared.push_back(&one.design);
  const std::vector<MeasuredTimes> measured = measured_designs(reported);
  const auto measured_best = measured_winner(measured);
  const bool varies = std::ranges::any_of(reported.outcome.standings, [](const Standing& one) { return one.makespans.size() > 1; });
  const Standing* const predicted_best = winner(reported.outcome.standings, reported.outcome.verdicts);
  return {{"name", scenario.name},
          {"description", scenario.description},
          {"question", scenario.question},
          {"finding", scenario.finding},
          {"source", reported.source},
          {"seed", std::to_string(reported.outcome.seed)},
          {"runs", reported.outcome.random.empty() ? 1 : reported.outcome.runs},
          {"random", reported.outcome.random},
          {"graph", graph_data(scenario.graph)},
          {"machine", machine_data(scenario, compared)},
          {"designs", std::move(designs)},
          {"pairs", pair_data(reported.outcome.verdicts, varies, accounts, measured)},
          {"predicted_winner", predicted_best != nullptr ? Json(predicted_best->design.name) : Json(nullptr)},
          {"measured_winner", measured_best ? Json(*measured_best) : Json(nullptr)},
          {"sensitivity", sensitivity_data(reported.sensitivity)},
          {"sensitivity_tried", reported.sensitivity.tried},
          {"advice", advice_data(reported.advice)},
          {"rerun", reported.rerun ? summary_of(*reported.rerun) : Json(nullptr)}};
}

Json report_data(const std::string& title, const std::string& command, Json scenarios) {
  return {{"format", kFormat},
          {"title", title},
          {"provenance", {{"version", version()}, {"commit", commit()}, {"command", command}}},
          {"scenarios", std::move(scenarios)}};
}

}  // namespace tasktwin::verify
