#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/explain/observed_path.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// Where the error of one case sits: bodies or scheduling, and which phase. All against the run whose timeline was kept,
/// which is a stamped one; fractions of its makespan.
struct ErrorBreakdown {
  std::string scenario = {};
  std::string design = {};
  double stamps = 0;          ///< that run's makespan over the median without stamps, minus 1
  double error = 0;           ///< predicted over measured, minus 1
  double scheduling = 0;      ///< the same with every body lasting as measured: the scheduling alone is predicted
  double bodies = 0;          ///< the reverse: the measured schedule with every body lasting as predicted
  double predicted_busy = 0;  ///< share of the cores' time in bodies
  double measured_busy = 0;
  /// By PathCause: the predicted observed critical path's part minus the measured one's. They sum up to `error`.
  std::array<double, kPathCauseCount> by_cause{};
};

/// Contract: `measured` is of `scenario` under `design`, and its tasks' starts and ends were observed.
ErrorBreakdown break_down(const scenarios::Scenario& scenario, const Design& design, const Timeline& predicted,
                          const RecordedCase& measured);

/// Whether every task that ran has a start, an end and a core: nothing can be broken down without.
bool can_break_down(const RecordedCase& measured);

/// Two tables of one scenario's cases: bodies against scheduling, and phase by phase. Contract: not empty, all of one scenario.
std::string breakdowns_to_text(const std::vector<ErrorBreakdown>& cases);

Json to_json(const ErrorBreakdown& one);

}  // namespace tasktwin::verify
