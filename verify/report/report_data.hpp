#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "verify/output/json.hpp"
#include "verify/prediction.hpp"
#include "verify/report/measurements.hpp"
#include "verify/sensitivity.hpp"
#include "verify/standings.hpp"

namespace tasktwin::verify {

/// What `compare` has found out about one scenario.
struct CompareOutcome {
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;             ///< asked for
  std::vector<std::string> random;    ///< what the seed decides, under any of the designs
  std::vector<RunSeries> series;      ///< by design, steps recorded
  std::vector<Standing> standings;    ///< likewise
  std::vector<PairVerdict> verdicts;  ///< of `standings`
};

struct ReportedScenario {
  const scenarios::Scenario& scenario;
  std::string source;  ///< as given on the command line
  const CompareOutcome& outcome;
  std::vector<FoundMeasurement> measurements;  ///< by design
  Sensitivity sensitivity;                     ///< empty where it was not asked for
};

/// ScenarioData of page/src/data.ts.
Json scenario_data(const ReportedScenario& reported);

/// ReportData of page/src/data.ts, of what scenario_data() gave. `command` reproduces the page.
Json report_data(const std::string& title, const std::string& command, Json scenarios);

}  // namespace tasktwin::verify
