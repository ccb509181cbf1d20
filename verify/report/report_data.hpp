#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/advise/advice.hpp"
#include "verify/compare/design_comparison.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/sensitivity.hpp"
#include "verify/report/measurements.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::verify {

struct ReportedScenario {
  const scenarios::Scenario& scenario;
  std::string source;  ///< as given on the command line
  const CompareOutcome& outcome;
  std::vector<FoundMeasurement> measurements;  ///< by design
  Sensitivity sensitivity;                     ///< empty where it was not asked for
  std::optional<Advice> advice = {};           ///< of a captured program
  std::optional<RerunFile> rerun = {};         ///< the same, where one was given
};

/// ScenarioData of page/src/data.ts.
Json scenario_data(const ReportedScenario& reported);

/// ReportData of page/src/data.ts, of what scenario_data() gave. `command` reproduces the page.
Json report_data(const std::string& title, const std::string& command, Json scenarios);

}  // namespace tasktwin::verify
