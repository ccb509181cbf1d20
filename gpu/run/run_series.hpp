#pragma once

#include <vector>

#include "gpu/run/executor_interface.hpp"

namespace tasktwin::gpu {

/// Plain runs, and stamped ones by turns with them.
struct RunSeries {
  std::vector<Duration> makespans;
  std::vector<Duration> stamped_makespans;
  std::vector<RunResult> stamped;
  std::vector<double> host_calls;  ///< RunResult::host_call_ns of all runs

  /// By how much the plain makespans in the middle half differ, as a share of their median.
  double spread() const;
};

/// A run. What shares the host disturbs runs, for microseconds or for seconds; so one with a RunResult::host_disturbance of more than 5 %
/// is made again, up to five times, and the least disturbed counts. Throws what the executor throws.
RunResult run_steadily(Executor& executor, RunMode mode);

/// `repeats` of each kind, at least 1, each by run_steadily(); the series is made again if its spread is more than 3 %, up to twice. What
/// was steadiest counts, whether it was quick or slow. Throws what the executor throws.
RunSeries run_series(Executor& executor, int repeats, bool stamps, Again again = Again::kRunsAndSeries);

}  // namespace tasktwin::gpu
