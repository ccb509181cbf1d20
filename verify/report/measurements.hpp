#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// What is recorded of a scenario under a design, or why that cannot be shown.
struct FoundMeasurement {
  std::optional<RecordedCase> recorded;
  std::string why_none;                           ///< empty where there is one
  bool refused = false;                           ///< a recording exists, and is damaged, or of another graph or design
  std::vector<std::filesystem::path> files = {};  ///< read for it
};

/// Looks under `folder`, as `verify` does. Never throws for a recording that it cannot use.
FoundMeasurement find_measurement(const scenarios::Scenario& scenario, const Design& design, const std::filesystem::path& folder);

/// MeasuredData of page/src/data.ts. `seed` is that of `predicted`. The error is of what `verify` predicts: with the pace that the host
/// had, and the median run where chance decides something.
Json measured_data(const scenarios::Scenario& scenario, const Prediction& predicted, std::uint64_t seed, const RecordedCase& recorded);

}  // namespace tasktwin::verify
