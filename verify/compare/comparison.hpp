#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// The most memory that was used and reserved at any time.
struct MemoryComparison {
  MemorySample predicted;
  MemorySample measured;
};

/// A prediction held against a measurement of the same graph under the same design.
struct CaseComparison {
  std::string scenario;
  std::string design;
  std::string machine;
  Duration predicted_makespan{};
  Duration measured_makespan{};           ///< median of the runs without phase stamps
  Duration stamped_makespan{};            ///< median of the runs with them
  double makespan_error = 0;              ///< predicted / measured − 1
  double stamped_makespan_error = 0;      ///< the same against the stamped runs
  double measured_noise = 0;              ///< (p75 − p25) / median of the runs without stamps
  std::optional<double> start_error_p50;  ///< of |predicted start − measured start| / measured makespan over the tasks, or
  std::optional<double> start_error_p95;  ///< over the quantiles of each layer where these were kept; absent where no start was measured
  std::size_t repeats = 0;
  std::int64_t ordering_violations = 0;  ///< counted by the executor
  std::int64_t timeline_inversions = 0;  ///< edges whose successor started, by the stamps, before its predecessor had ended
  std::optional<double> residual;
  double residual_limit = 0;
  std::optional<MemoryComparison> memory;  ///< absent where nothing is allocated
  /// Under a frozen placement that cores keep to: tasks measured on another one than predicted; absent where no timeline was kept.
  std::optional<std::size_t> moved_tasks;

  bool in_order() const { return ordering_violations == 0 && timeline_inversions == 0; }
  bool right_numbers() const;
  bool within(double limit) const { return makespan_error <= limit && makespan_error >= -limit; }
};

/// Judges `measured` again from its raw counts, times and residual alone.
/// Contract: both are of `scenario` under `design`.
CaseComparison compare_case(const scenarios::Scenario& scenario, const Design& design, const Timeline& predicted,
                            const RecordedCase& measured);

/// A host that is that many times as slow, or as quick, as when it was calibrated does something else besides, and is not slow at all
/// alike: on H200s' hosts runs of streams took up to 1.6 times as long where the call that gives the pace took 1.27.
inline constexpr double kDisturbedHost = 1.2;

/// A note on a measurement of `scenario` under `design` if its host, whose pace `host_call` gives (host_slowdown), was that
/// slow; else nothing.
std::optional<std::string> why_disturbed(const scenarios::Scenario& scenario, const Design& design, Nanoseconds host_call);

/// What all cases together say about the errors; absent where there is no case.
struct ErrorSummary {
  std::optional<double> median_abs_makespan_error;
  std::optional<double> p95_abs_makespan_error;
  std::optional<double> mean_makespan_error;  ///< signed: the bias
};

ErrorSummary summarise_errors(const std::vector<CaseComparison>& cases);

/// The errors of one design over all scenarios: a bias hints at a mechanism that its prediction lacks.
struct DesignErrors {
  std::string design;
  std::size_t cases = 0;
  ErrorSummary errors;
};

/// By design, in the order in which the cases first name them.
std::vector<DesignErrors> errors_by_design(const std::vector<CaseComparison>& cases);

}  // namespace tasktwin::verify
