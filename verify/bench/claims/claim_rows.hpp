#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/bench/claims/claim_records.hpp"
#include "verify/bench/claims/claim_row.hpp"
#include "verify/bench/claims/measured_side.hpp"

namespace tasktwin::verify {

/// Makes the rows of claims: every comparison measured, live or from recordings, and predicted.
class ClaimRows {
 public:
  using Show = std::function<void(const std::string&)>;

  /// With `measurer` comparisons are run, and said to come from `origin`; without, they are read from `recordings`.
  ClaimRows(std::filesystem::path recordings, SideMeasurer* measurer, ClaimOrigin origin, Show show);

  /// Throws InputError for a side that the benchmark does not know and for a damaged recording; what one comparison cannot be
  /// measured or predicted for is in its row.
  std::vector<ClaimRow> of(const scenarios::Claim& claim);

 private:
  void measure(const scenarios::MakespanSides& sides, ClaimRow& row) const;
  void measure(const scenarios::MetgSides& sides, ClaimRow& row) const;
  void read(const scenarios::MakespanSides& sides, ClaimRow& row);
  void read(const scenarios::MetgSides& sides, ClaimRow& row) const;
  /// With the host as quick as it was when `measured`, baseline and contender, was; as the machine says where that is empty.
  Figures predict(const scenarios::MakespanSides& sides, const std::vector<MeasuredSide>& measured);
  double predicted_ns(const scenarios::Scenario& scenario, Nanoseconds host_call);

  std::filesystem::path recordings_;
  SideMeasurer* measurer_;
  ClaimOrigin origin_;
  Show show_;
  std::map<std::string, std::vector<RecordedClaim>> records_;  ///< by machine
  std::map<std::string, double> predicted_;                    ///< by side_key and host_call
};

/// What a recording keeps of `claim`: the makespans of the rows that were measured without fault; nothing if there are none.
std::optional<RecordedClaim> to_record(const scenarios::Claim& claim, const std::vector<ClaimRow>& rows);

/// The baseline of the claim's first comparison of makespans, whose machine's folder its recording goes to; nullptr if it has none.
const scenarios::Scenario* recorded_scenario(const scenarios::Claim& claim);

}  // namespace tasktwin::verify
