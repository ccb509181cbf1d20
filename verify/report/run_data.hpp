#pragma once

#include "verify/explain/explanation.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// RunData of page/src/data.ts: one run under `design`, predicted or measured, and where its time went.
struct ReportedRun {
  const Design& design;
  const Timeline& timeline;
  const Metrics& metrics;
  const ObservedPath& path;
  const IdleTime& idle;
  std::size_t all_cores = 0;             ///< compute cores of the machine, those that control cores take included
  const HostProgram* program = nullptr;  ///< that was simulated, if it is a captured one's
};

/// Contract: all are of `timeline`.
Json run_data(const ReportedRun& run);

}  // namespace tasktwin::verify
