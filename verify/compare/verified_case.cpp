#include "verify/compare/verified_case.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/run/as_run.hpp"
#include "verify/compare/design_ranking.hpp"
#include "verify/compare/verdict.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

VerifiedCase verify_case(const scenarios::Scenario& scenario, const Design& design, const RecordedCase& measured, bool with_breakdown) {
  const double host_pace = host_slowdown(design, scenario.machine, measured.host_call);
  VerifiedCase verified{
      .comparison = {}, .prediction = predict_median(scenario, design, host_pace), .host_pace = host_pace, .breakdown = {}};
  verified.comparison = compare_case(scenario, design, verified.prediction.timeline, measured);
  if (with_breakdown && can_break_down(measured)) verified.breakdown = break_down(scenario, design, verified.prediction.timeline, measured);
  return verified;
}

Json to_json(const VerifiedCase& verified, const scenarios::Scenario& scenario, const RecordedCase& measured, double limit) {
  const Design& design = verified.prediction.design;
  Json result = case_to_json(verified.comparison, limit);
  result["device"] = measured.device;
  result["driver"] = measured.driver;
  result["date"] = measured.date;
  result["commit"] = measured.commit;
  result["host_slowdown"] = verified.host_pace;
  result["resolved_design"] = design_to_json(design);
  result["remarks"] = remarks(scenario, design);
  if (verified.breakdown) result["breakdown"] = to_json(*verified.breakdown);
  add_provenance(result, scenario, scenario.seed);
  return result;
}

Json verification_to_json(bool live, const std::vector<CaseComparison>& comparisons, Json cases, const std::vector<LeftOut>& left_out,
                          double limit) {
  Json skipped = Json::array();
  for (const LeftOut& one : left_out) skipped.push_back({{"scenario", one.scenario}, {"design", one.design}, {"reason", one.reason}});
  return {{"source", live ? "live" : "recorded"},
          {"cases", std::move(cases)},
          {"summary", summary_to_json(comparisons, rank_designs(comparisons), limit)},
          {"left_out", std::move(skipped)},
          {"version", version()}};
}

Json verify_recorded(const RecordedSelections& recorded, double limit, bool with_breakdown, Progress& progress) {
  std::vector<CaseComparison> comparisons;
  Json cases = Json::array();
  for (std::size_t i = 0; i < recorded.selections.size(); ++i) {
    const Selection& selection = recorded.selections[i];
    for (std::size_t d = 0; d < selection.designs.size(); ++d) {
      const RecordedCase& measured = recorded.measured[i][d];
      const VerifiedCase verified = verify_case(selection.scenario, selection.designs[d], measured, with_breakdown);
      cases.push_back(to_json(verified, selection.scenario, measured, limit));
      comparisons.push_back(verified.comparison);
      progress.advance();
    }
  }
  return verification_to_json(false, comparisons, std::move(cases), recorded.left_out, limit);
}

}  // namespace tasktwin::verify
