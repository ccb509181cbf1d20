#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verify/bench/claims/claim_row.hpp"
#include "verify/bench/metg/metg_benchmark.hpp"

namespace tasktwin::verify {

/// Throws InputError, at the comparison, for a side that is no executor of the METG benchmark.
void check_metg_sides(const scenarios::Comparison& comparison);

/// METG(50 %) of both sides as `backend` runs them. Contract: check_metg_sides has passed.
/// Throws InputError for what no executor runs, RunError for runs that failed, were out of order or gave no METG.
Figures measured_metg(const scenarios::MetgSides& sides, const BenchBackend& backend);

/// The same of the simulator's makespans, by the same search. Throws InputError where it has no wiring of a side, and RunError.
Figures predicted_metg(const scenarios::MetgSides& sides);

/// What `run --metg --record` left in <folder>/<machine>/metg.json.
struct RecordedMetg {
  std::optional<Figures> figures;
  std::string why_none;  ///< why there are none; empty where they are only not recorded
  ClaimOrigin origin;
};
/// Throws InputError naming the file if it is damaged.
RecordedMetg recorded_metg(const std::filesystem::path& folder, const scenarios::MetgSides& sides);

}  // namespace tasktwin::verify
