#include "verify/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/run/as_run.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

double relative_error(Duration predicted, Duration measured) {
  return static_cast<double>(to_ns(predicted)) / static_cast<double>(to_ns(measured)) - 1;
}

std::vector<double> start_errors(const Timeline& predicted, const Timeline& measured, Duration makespan) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < measured.tasks.size(); ++i) {
    const TimePoint expected = predicted.tasks[i].started;
    const TimePoint seen = measured.tasks[i].started;
    if (!is_present(expected) || !is_present(seen)) continue;
    errors.push_back(static_cast<double>(std::abs(to_ns(expected - seen))) / static_cast<double>(to_ns(makespan)));
  }
  return errors;
}

/// Of the quantiles of each layer's starts.
std::vector<double> start_errors(const TaskGraph& graph, const Timeline& predicted, const RecordedStarts& measured, Duration makespan) {
  std::vector<double> errors;
  const auto expected = starts_by_layer(graph, predicted);
  for (std::size_t layer = 0; layer < expected.size(); ++layer) {
    const std::optional<StartQuantiles>& wanted = expected[layer];
    const std::optional<StartQuantiles>& seen = measured.layers[layer];
    if (!wanted || !seen) continue;
    for (std::size_t i = 0; i < seen->size(); ++i)
      errors.push_back(static_cast<double>(std::abs((*wanted)[i] - (*seen)[i])) / static_cast<double>(to_ns(makespan)));
  }
  return errors;
}

std::size_t count_moved(const Timeline& predicted, const Timeline& measured) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < measured.tasks.size(); ++i) {
    if (measured.tasks[i].core != kNoCore && measured.tasks[i].core != predicted.tasks[i].core) ++moved;
  }
  return moved;
}

/// Whether tasks run where the frozen placement puts them: no stealing, no dynamic queue, and no choice of CUDA.
bool stays_on_frozen_cores(const Design& design) {
  return has_lists(design) && !runtime_of(design).host_dispatched() && design.stealing == Stealing::kOff && design.static_percent == 100;
}

}  // namespace

bool CaseComparison::right_numbers() const { return !residual || (std::isfinite(*residual) && *residual <= residual_limit); }

CaseComparison compare_case(const scenarios::Scenario& scenario, const Design& design, const Timeline& predicted,
                            const RecordedCase& measured) {
  CaseComparison result;
  result.scenario = scenario.name;
  result.design = design.name;
  result.machine = scenario.machine.name;
  result.predicted_makespan = predicted.makespan();
  result.measured_makespan = median_duration(measured.makespans);
  if (result.measured_makespan <= Duration{0}) {
    throw RunError(
        fmt::format("'{}' under '{}' was measured to take no time: there is nothing to compare with", scenario.name, design.name));
  }
  result.stamped_makespan = median_duration(measured.stamped_makespans);
  result.makespan_error = relative_error(result.predicted_makespan, result.measured_makespan);
  result.stamped_makespan_error = relative_error(result.predicted_makespan, result.stamped_makespan);
  result.measured_noise = noise(measured.makespans);
  const std::optional<RecordedStarts>& starts = measured.starts;
  const auto errors = starts ? start_errors(scenario.graph, predicted, *starts, result.measured_makespan)
                             : start_errors(predicted, measured.timeline, result.measured_makespan);
  if (!errors.empty()) {
    result.start_error_p50 = percentile(errors, 0.5);
    result.start_error_p95 = percentile(errors, 0.95);
  }
  result.repeats = measured.makespans.size();
  result.ordering_violations = measured.ordering_violations;
  result.timeline_inversions = starts ? starts->inversions : count_inversions(scenario.graph, measured.timeline);
  result.residual = measured.residual;
  result.residual_limit = measured.residual_limit;
  if (measured.peak_memory) result.memory = {predicted.peak_memory(), *measured.peak_memory};
  if (!starts) result.moved_tasks = 0;
  if (!starts && stays_on_frozen_cores(design)) result.moved_tasks = count_moved(predicted, measured.timeline);
  return result;
}

std::vector<DesignErrors> errors_by_design(const std::vector<CaseComparison>& cases) {
  std::vector<DesignErrors> designs;
  for (const CaseComparison& first : cases) {
    if (std::ranges::find(designs, first.design, &DesignErrors::design) != designs.end()) continue;
    std::vector<CaseComparison> own;
    std::ranges::copy_if(cases, std::back_inserter(own), [&first](const CaseComparison& one) { return one.design == first.design; });
    designs.push_back({first.design, own.size(), summarise_errors(own)});
  }
  return designs;
}

std::optional<std::string> why_disturbed(const scenarios::Scenario& scenario, const Design& design, Nanoseconds host_call) {
  const double slowdown = host_slowdown(design, scenario.machine, host_call);
  if (slowdown <= kDisturbedHost) return std::nullopt;
  return fmt::format(
      "{} under {}: the host's calls took {:.2f} times as long as when the machine file was calibrated, and all else that it does there "
      "may take longer still; measure it anew when nobody else uses the host",
      scenario.name, design.name, slowdown);
}

ErrorSummary summarise_errors(const std::vector<CaseComparison>& cases) {
  if (cases.empty()) return {};
  std::vector<double> sizes;
  double sum = 0;
  for (const CaseComparison& one : cases) {
    sizes.push_back(std::abs(one.makespan_error));
    sum += one.makespan_error;
  }
  return {median(sizes), percentile(sizes, 0.95), sum / static_cast<double>(cases.size())};
}

}  // namespace tasktwin::verify
