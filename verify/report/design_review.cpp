#include "verify/report/design_review.hpp"

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verify/advise/advice.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/report/report_page.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

DesignReview::DesignReview(ReviewOptions options, std::span<const Selection> selections) : options_(std::move(options)) {
  require_report_page();
  std::vector<fs::path> inputs;
  Recordings recordings(options_.recordings);
  std::set<std::string> without;  // files of machines
  for (const Selection& selection : selections) {
    const fs::path cases = recordings.cases(selection.scenario.machine.name);
    std::error_code ignored;
    if (options_.recordings != recordings_folder() && !fs::exists(cases, ignored) && without.insert(cases.string()).second)
      remark(fmt::format("nothing that was measured is on the page: no recording of {} in '{}', which would be '{}'",
                         selection.scenario.machine.name, options_.recordings.string(), cases.string()));
    for (fs::path& input : input_files(selection.argument, selection.scenario)) inputs.push_back(std::move(input));
    names_.push_back(selection.scenario.name);
    std::vector<FoundMeasurement>& found = measurements_.emplace_back();
    for (const Design& design : selection.designs) {
      found.push_back(find_measurement(selection.scenario, design, recordings));
      for (fs::path& file : found.back().files) inputs.push_back(std::move(file));
      if (found.back().refused) remark(fmt::format("left out of the page: {}", found.back().why_none));
    }
  }
  OutputPlan("--report", options_.file, false, false).check(options_.file, inputs);
  file_.emplace(options_.file);
}

void DesignReview::add(const Selection& selection, const CompareOutcome& outcome, Progress& progress) {
  const scenarios::Scenario& scenario = selection.scenario;
  ReportedScenario reported{.scenario = scenario,
                            .source = selection.argument,
                            .outcome = outcome,
                            .measurements = std::move(measurements_[scenarios_.size()]),
                            .sensitivity = {},
                            .advice = {},
                            .rerun = options_.rerun};
  if (options_.sensitivity.value_or(scenario.graph.size() <= kSensitivityTasks)) {
    std::vector<Duration> makespans;
    for (const RunSeries& series : outcome.series) makespans.push_back(series.first.timeline.makespan());
    reported.sensitivity = sensitivity(scenario, selection.designs, makespans, outcome.seed, kSensitivityFactor, progress, options_.jobs);
  }
  if (captured_design(scenario) != nullptr && scenario.graph.size() <= kSensitivityTasks)
    reported.advice = advise(scenario, outcome.seed, progress);
  progress.show(fmt::format("writing {} into {}", scenario.name, options_.file));
  Json data = scenario_data(reported);
  WhatIfOutcome changed(selection, {});
  for (const Standing& standing : outcome.standings) changed.add(standing.design, Duration{std::llround(standing.mean())});
  data["what_if"] = changed.for_page();
  scenarios_.push_back(std::move(data));
  progress.clear();
}

void DesignReview::write() {
  const std::string title = fmt::format("Design review: {}", fmt::join(names_, ", "));
  file_->write(report_page_with(report_data(title, options_.command, std::move(scenarios_))));
  file_->commit();
}

}  // namespace tasktwin::verify
