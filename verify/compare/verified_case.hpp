#pragma once

#include <optional>
#include <vector>

#include "verify/compare/comparison.hpp"
#include "verify/compare/error_breakdown.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/recordings/recorded_selection.hpp"

namespace tasktwin::verify {

/// A measurement of a scenario under a design, its prediction, and one held against the other.
struct VerifiedCase {
  CaseComparison comparison;
  Prediction prediction;
  double host_pace = 1;                     ///< at which it was predicted (host_slowdown)
  std::optional<ErrorBreakdown> breakdown;  ///< where it was asked for and the measurement has what it needs
};

/// Contract: `measured` is of `scenario` under `design`.
VerifiedCase verify_case(const scenarios::Scenario& scenario, const Design& design, const RecordedCase& measured, bool with_breakdown);

/// `limit` is the largest makespan error that passes, a fraction.
Json to_json(const VerifiedCase& verified, const scenarios::Scenario& scenario, const RecordedCase& measured, double limit);

/// What `verify --format json` prints: cases as to_json gave them, what they say together, and what was left out.
Json verification_to_json(bool live, const std::vector<CaseComparison>& comparisons, Json cases, const std::vector<LeftOut>& left_out,
                          double limit);

/// Simulates all of `recorded`, and gives verification_to_json of them. `progress` advances by its cases.
Json verify_recorded(const RecordedSelections& recorded, double limit, bool with_breakdown, Progress& progress);

}  // namespace tasktwin::verify
