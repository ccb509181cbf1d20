#pragma once

#include <span>
#include <string>

#include "verify/bench/claims/claim_row.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// One table of all comparisons, then a line a claim, then why something is missing.
std::string claims_to_text(std::span<const ClaimRow> rows, std::span<const ClaimSummary> summaries);

/// {"source", "claims": [{"id", "scenario", "measured_ratio", "predicted_ratio", "verdict", …}], "summary": […], "version"}.
/// Ratios that are not there are null.
Json claims_to_json(std::span<const ClaimRow> rows, std::span<const ClaimSummary> summaries, bool live);

}  // namespace tasktwin::verify
