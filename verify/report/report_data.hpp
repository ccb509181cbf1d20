#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/compare/design_comparison.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/sensitivity.hpp"
#include "verify/report/measurements.hpp"

namespace tasktwin::verify {

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
