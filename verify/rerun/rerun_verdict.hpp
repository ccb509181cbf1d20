#pragma once

#include <string>
#include <vector>

#include "verify/compare/comparison.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::verify {

/// What the command line says about reruns that predicted before they measured.
struct RerunVerdictOptions {
  std::vector<std::string> files;
  double limit = 0;  ///< the largest error that passes, a fraction
  bool json = false;
};

/// The schedules that were both predicted and measured: with the host, the median of all repeats. A byte of results that differs counts as
/// a residual. Wrong orders (`cut:N`) are left out. Throws InputError for a file that predicts nothing.
std::vector<CaseComparison> cases_of(const RerunFile& rerun, const std::string& file);

/// `tasktwin verify --reruns`: prints how far off predictions are, and whether their order of schedules is the measured one. Returns 1
/// where an error is beyond the limit or results differ. Throws InputError for a file that cannot be read, and for none at all.
int verify_reruns(const RerunVerdictOptions& options);

}  // namespace tasktwin::verify
