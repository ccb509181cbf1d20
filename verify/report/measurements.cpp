#include "verify/report/measurements.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/run/as_run.hpp"
#include "verify/compare/comparison.hpp"
#include "verify/compare/measurement.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/run_statistics.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/report/measured_pairs.hpp"
#include "verify/report/run_data.hpp"

namespace tasktwin::verify {

namespace {

Json nanoseconds(const std::vector<Duration>& times) {
  Json array = Json::array();
  for (const Duration time : times) array.push_back(to_ns(time));
  return array;
}

std::vector<std::string> doubts(const scenarios::Scenario& scenario, const Prediction& predicted, std::uint64_t seed,
                                const RecordedCase& recorded) {
  const CaseComparison one = compare_case(scenario, predicted.design, predicted.timeline, recorded);
  std::vector<std::string> said;
  if (one.ordering_violations != 0)
    said.push_back(fmt::format("The executor counted {} tasks that ran before a predecessor.", one.ordering_violations));
  if (one.timeline_inversions != 0)
    said.push_back(fmt::format("By the stamps {} tasks started before a predecessor had ended.", one.timeline_inversions));
  if (!one.right_numbers())
    said.push_back(fmt::format("Its numbers are wrong: residual {:.2e} is beyond {:.0e}.", one.residual.value_or(0), one.residual_limit));
  if (const std::size_t moved = one.moved_tasks.value_or(0); moved != 0) {
    said.push_back(
        fmt::format("{} of {} tasks were measured on another core than the frozen placement now says.", moved, scenario.graph.size()));
  }
  if (seed != scenario.seed && !random_parts(scenario.graph, scenario.machine, predicted.design).empty())
    said.push_back(fmt::format("It was drawn with the scenario's seed {}, the prediction with {}.", scenario.seed, seed));
  return said;
}

}  // namespace

FoundMeasurement find_measurement(const scenarios::Scenario& scenario, const Design& design, Recordings& recordings) {
  FoundMeasurement found;
  try {
    const RecordingFacts* facts = recordings.find(scenario.machine.name, scenario.name, design.name);
    if (facts == nullptr) {
      found.why_none = fmt::format("not measured on '{}'", scenario.machine.name);
      return found;
    }
    found.files = {recordings.cases(scenario.machine.name), facts->timeline};
    check_recording(facts->recorded, scenario, design);
    RecordedCase recorded = with_timeline(*facts, scenario.graph.size());
    if (recorded.starts) {
      found.why_none = fmt::format("measured on '{}' to take {}, recorded without its timeline", scenario.machine.name,
                                   format_us(median_duration(recorded.makespans)));
      if (!is_right(recorded)) found.why_none += "; its order or its numbers were wrong ('verify --recorded' says how)";
      return found;
    }
    name_cores(recorded.timeline, scenario.machine, design);
    found.recorded = std::move(recorded);
  } catch (const InputError& error) {
    found.why_none = error.what();
    found.refused = true;
  }
  return found;
}

Json measured_data(const scenarios::Scenario& scenario, const Prediction& predicted, std::uint64_t seed, const RecordedCase& recorded) {
  const Design& design = predicted.design;
  const double host_pace = host_slowdown(design, scenario.machine, recorded.host_call);
  const auto verified_ns = static_cast<double>(to_ns(predict_median_with_bodies(scenario, design, {}, host_pace)));
  const Timeline& timeline = recorded.timeline;
  const MeasuredTimes times = measured_times(design.name, recorded.makespans);
  return {{"device", recorded.device},
          {"driver", recorded.driver},
          {"date", recorded.date},
          {"commit", recorded.commit},
          {"command", recorded.command},
          {"makespans_ns", nanoseconds(recorded.makespans)},
          {"median_ns", times.median},
          {"quartiles_ns", {times.first_quartile, times.third_quartile}},
          {"stamped_ns", to_ns(median_duration(recorded.stamped_makespans))},
          {"verified_ns", verified_ns},
          {"host_pace", host_pace},
          {"error", verified_ns / times.median - 1},
          {"doubts", doubts(scenario, predicted, seed, recorded)},
          {"run", run_data({.design = design,
                            .timeline = timeline,
                            .metrics = measure(scenario.graph, timeline),
                            .path = path_of(scenario, design, timeline, scenario.seed),
                            .idle = idle_of(scenario, design, timeline),
                            .all_cores = predicted.timeline.core_count()})}};
}

}  // namespace tasktwin::verify
