#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"
#include "scenarios/formats/json_place.hpp"
#include "verify/bench/claims/claim_row.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// A comparison as it was measured.
struct RecordedComparison {
  std::string scenario;
  MeasuredSide baseline;
  MeasuredSide contender;
  friend bool operator==(const RecordedComparison&, const RecordedComparison&) = default;
};

struct RecordedClaim {
  std::string id;
  std::string machine_hash;  ///< of the machine file at that time
  ClaimOrigin origin;
  std::vector<RecordedComparison> comparisons;
  friend bool operator==(const RecordedClaim&, const RecordedClaim&) = default;
};

/// <folder>/<machine>/claims.json: every claim measured on that machine, each with its own origin.
std::filesystem::path claim_records_path(const std::filesystem::path& folder, std::string_view machine);

/// Empty where there is no such file. Throws InputError naming the file and what is wrong if it is damaged.
std::vector<RecordedClaim> read_claim_records(const std::filesystem::path& file);

/// Writes `claim` in place of what `file` has under its id; what else it has stays. Throws as reading does, and RunError.
void write_claim_record(const std::filesystem::path& file, const RecordedClaim& claim);

Json side_to_json(const MeasuredSide& side);
/// Throws InputError for another shape and for values that cannot be.
MeasuredSide side_from(const scenarios::JsonPlace& place);

/// Why `side` is not of what `scenario` now is with its one design: "is of another graph", "release was …"; nothing if it is.
std::optional<std::string> why_outdated(const MeasuredSide& side, const scenarios::Scenario& scenario);

}  // namespace tasktwin::verify
