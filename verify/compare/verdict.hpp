#pragma once

#include <string>
#include <vector>

#include "verify/compare/comparison.hpp"
#include "verify/compare/design_ranking.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What is wrong with a case, in words; empty where nothing is. `limit` is the largest makespan error, a fraction.
std::string fault(const CaseComparison& one, double limit);

/// The table of one scenario's cases. Contract: all are of one scenario.
std::string cases_to_text(const std::vector<CaseComparison>& cases, double limit);

/// Winners, rank correlation and errors over all cases, and how the columns are computed.
std::string summary_to_text(const std::vector<CaseComparison>& cases, const Ranking& ranking, double limit);

Json case_to_json(const CaseComparison& one, double limit);
Json summary_to_json(const std::vector<CaseComparison>& cases, const Ranking& ranking, double limit);

}  // namespace tasktwin::verify
