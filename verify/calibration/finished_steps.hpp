#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// A step of a calibration that has been done.
struct FinishedStep {
  std::string name;
  std::string why;           ///< what disturbed it; empty for nothing
  double took_ns = 0;        ///< wall time
  std::string results = {};  ///< what its micro-benchmarks gave, one after the other, as bytes
};

/// What the steps of a calibration have measured, kept in a file as each ends, so that a calibration that was ended continues after them:
/// it takes the same steps, and gets what was measured then.
class FinishedSteps {
 public:
  /// `settings`: all that the measurements depend on, of this build. What the file holds of others is dropped, and so is what a kill left
  /// after its last whole step. Throws InputError for a file that is no such one, or that cannot be read.
  FinishedSteps(std::string file, std::string_view settings);

  const std::string& file() const { return file_; }
  /// How many steps there are to begin with.
  std::size_t found() const { return found_; }

  /// `backend` with its micro-benchmarks kept. Links between devices, a calibration's last step, and conditions are measured again.
  /// Contract: this outlives it.
  CalibrationBackend keeping(CalibrationBackend backend);

  /// The next step by this name, if it was done: what it asks for now is what it got then. Else what it asks for is measured and kept.
  std::optional<FinishedStep> begin(std::string_view name);
  /// Ends a step that was measured, and writes it. Throws RunError.
  void finish(std::string_view name, std::string_view why, double took_ns);
  /// Ends a step that was done before.
  void end() { step_ = Step::kNone; }

  /// All steps are done, and their results are written elsewhere.
  void remove() const;

 private:
  enum class Step { kNone, kAgain, kMeasured };

  template <class Result, class... Arguments>
  std::function<Result(Arguments...)> kept(std::function<Result(Arguments...)> live);

  std::string file_;
  std::string head_;
  std::vector<FinishedStep> steps_;
  std::size_t found_ = 0;
  std::size_t next_ = 0;
  Step step_ = Step::kNone;
  std::string_view left_;  ///< of the results of the step that is taken again
  std::string results_;    ///< of the step that is measured
};

}  // namespace tasktwin::verify
