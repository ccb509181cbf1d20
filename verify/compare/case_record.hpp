#pragma once

#include <optional>

#include "verify/compare/verified_case.hpp"

namespace tasktwin::verify {

/// What `verify` says of a case, without its timelines: small enough to be worked out in another process.
struct JudgedCase {
  CaseComparison comparison;
  Json result;  ///< to_json(VerifiedCase)
  double host_pace = 1;
  std::optional<ErrorBreakdown> breakdown;
};

JudgedCase judged(const VerifiedCase& verified, const scenarios::Scenario& scenario, const RecordedCase& measured, double limit);

/// All of it, to the last bit, for judged_from().
Json to_record(const JudgedCase& one);
JudgedCase judged_from(const Json& record);

}  // namespace tasktwin::verify
