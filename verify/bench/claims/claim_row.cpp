#include "verify/bench/claims/claim_row.hpp"

namespace tasktwin::verify {

namespace {

ClaimVerdict judge(const scenarios::ClaimedRatio& claimed, const Figures& figures) {
  return claimed.holds(figures.ratio()) ? ClaimVerdict::kHolds : ClaimVerdict::kDoesNotHold;
}

}  // namespace

std::string_view to_text(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kDoesNotHold:
      return "does not hold";
    case ClaimVerdict::kPartly:
      return "partly";
    case ClaimVerdict::kNotRecorded:
      return "not recorded";
    case ClaimVerdict::kNotMeasured:
      return "not measured";
  }
  return "";
}

ClaimVerdict ClaimRow::verdict() const {
  if (measured) return judge(claimed, *measured);
  return why_unmeasured.empty() ? ClaimVerdict::kNotRecorded : ClaimVerdict::kNotMeasured;
}

std::optional<ClaimVerdict> ClaimRow::predicted_verdict() const {
  return predicted ? std::optional(judge(claimed, *predicted)) : std::nullopt;
}

std::optional<bool> ClaimRow::agrees() const {
  if (!measured || !predicted) return std::nullopt;
  return verdict() == predicted_verdict();
}

std::optional<double> ClaimRow::error() const {
  if (!measured || !predicted) return std::nullopt;
  return predicted->ratio() / measured->ratio() - 1;
}

ClaimVerdict ClaimSummary::verdict() const {
  if (measured == 0) return recorded == 0 ? ClaimVerdict::kNotRecorded : ClaimVerdict::kNotMeasured;
  if (hold == 0) return ClaimVerdict::kDoesNotHold;
  return hold == measured ? ClaimVerdict::kHolds : ClaimVerdict::kPartly;
}

ClaimSummary summarize(const scenarios::Claim& claim, const std::vector<ClaimRow>& rows) {
  ClaimSummary summary{.id = claim.id, .title = claim.title, .origin = {}};
  for (const ClaimRow& row : rows) {
    if (row.id != claim.id) continue;
    ++summary.compared;
    if (row.verdict() != ClaimVerdict::kNotRecorded) ++summary.recorded;
    if (row.measured && summary.measured++ == 0) summary.origin = row.origin;
    if (row.verdict() == ClaimVerdict::kHolds) ++summary.hold;
    if (const auto agrees = row.agrees()) {
      ++summary.judged;
      if (*agrees) ++summary.agree;
    }
  }
  return summary;
}

}  // namespace tasktwin::verify
