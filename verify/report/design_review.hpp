#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/compare/standings.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/report/report_data.hpp"

namespace tasktwin::verify {

struct ReviewOptions {
  std::string file;                  ///< the page
  std::filesystem::path recordings;  ///< where measurements are looked for
  std::optional<bool> sensitivity;   ///< absent: for graphs of at most kSensitivityTasks tasks
  std::string command;               ///< reproduces the page
  std::optional<RerunFile> rerun;    ///< of the one scenario
  std::size_t jobs = 1;              ///< processes that simulate what constants change
};

/// What `compare` finds, collected into one design-review page.
class DesignReview {
 public:
  /// Finds the measurements and opens the file, before anything is simulated. A recording that cannot be used is left out with a
  /// remark. Throws InputError if this build has no page or the file is also an input, RunError if it cannot be written.
  DesignReview(ReviewOptions options, std::span<const Selection> selections);

  /// Contract: once for each selection, in their order; `series` have their steps recorded.
  void add(const Selection& selection, const CompareOutcome& outcome, Progress& progress);

  /// Writes the page.
  void write();

 private:
  ReviewOptions options_;
  std::vector<std::vector<FoundMeasurement>> measurements_;  ///< by selection and design
  std::vector<std::string> names_;                           ///< of the scenarios
  std::optional<AtomicFile> file_;
  Json scenarios_ = Json::array();
};

}  // namespace tasktwin::verify
