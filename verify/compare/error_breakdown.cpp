#include "verify/compare/error_breakdown.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/explain/metrics.hpp"
#include "models/explain/occupancy.hpp"
#include "models/explain/rescheduled.hpp"
#include "models/run/as_run.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

double beyond(Duration one, Duration other) { return static_cast<double>(to_ns(one)) / static_cast<double>(to_ns(other)) - 1; }

/// A column is left out where no case has more than this.
constexpr double kWorthAColumn = 0.0005;

}  // namespace

bool can_break_down(const RecordedCase& measured) {
  const auto& tasks = measured.timeline.tasks;
  return measured.timeline.makespan() > Duration{0} && std::ranges::any_of(tasks, ran) &&
         std::ranges::all_of(tasks, [](const TaskTimes& times) { return ran(times) || !is_present(times.started); });
}

ErrorBreakdown break_down(const scenarios::Scenario& scenario, const Design& design, const Timeline& predicted,
                          const RecordedCase& measured) {
  const Timeline& seen = measured.timeline;
  const Duration makespan = seen.makespan();
  ErrorBreakdown result{.scenario = scenario.name, .design = design.name};
  result.stamps = beyond(makespan, median_duration(measured.makespans));
  result.error = beyond(predicted.makespan(), makespan);
  const double host_pace = host_slowdown(design, scenario.machine, measured.host_call);
  result.scheduling = beyond(predict_median_with_bodies(scenario, design, body_times(seen), host_pace), makespan);
  result.bodies = beyond(rescheduled_makespan(scenario.graph, seen, body_times(predicted)), makespan);
  result.predicted_busy = measure(scenario.graph, predicted).core_busy_share;
  result.measured_busy = measure(scenario.graph, seen).core_busy_share;
  const ObservedPath expected = path_of(scenario, design, predicted, scenario.seed);
  const ObservedPath observed = path_of(scenario, design, seen, scenario.seed);
  for (std::size_t cause = 0; cause < kPathCauseCount; ++cause) {
    result.by_cause[cause] =
        static_cast<double>(to_ns(expected.by_cause[cause] - observed.by_cause[cause])) / static_cast<double>(to_ns(makespan));
  }
  return result;
}

std::string breakdowns_to_text(const std::vector<ErrorBreakdown>& cases) {
  TextTable parts({"design", "error", "scheduling alone", "bodies alone", "stamps", "busy predicted", "measured"});
  std::vector<std::size_t> shown;
  std::vector<std::string> header{"design"};
  for (std::size_t cause = 0; cause < kPathCauseCount; ++cause) {
    if (std::ranges::all_of(cases, [cause](const ErrorBreakdown& one) { return std::abs(one.by_cause[cause]) <= kWorthAColumn; })) continue;
    shown.push_back(cause);
    header.emplace_back(to_word(static_cast<PathCause>(cause)));
  }
  TextTable phases(header);
  for (const ErrorBreakdown& one : cases) {
    parts.add_row({one.design, format_percent(one.error, true), format_percent(one.scheduling, true), format_percent(one.bodies, true),
                   format_percent(one.stamps, true), format_percent(one.predicted_busy), format_percent(one.measured_busy)});
    std::vector<std::string> row{one.design};
    for (const std::size_t cause : shown) row.push_back(format_percent(one.by_cause[cause], true));
    phases.add_row(row);
  }
  return parts.to_string() + "\nerror by what the critical path went through, of the measured makespan\n" + phases.to_string();
}

Json to_json(const ErrorBreakdown& one) {
  Json causes;
  for (std::size_t cause = 0; cause < kPathCauseCount; ++cause)
    causes[std::string(to_word(static_cast<PathCause>(cause)))] = one.by_cause[cause];
  return {{"error", one.error},   {"scheduling_alone", one.scheduling},         {"bodies_alone", one.bodies},
          {"stamps", one.stamps}, {"predicted_busy_share", one.predicted_busy}, {"measured_busy_share", one.measured_busy},
          {"by_cause", causes}};
}

}  // namespace tasktwin::verify
