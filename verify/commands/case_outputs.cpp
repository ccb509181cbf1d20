#include "verify/commands/case_outputs.hpp"

#include <algorithm>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/output/timeline_csv.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

std::string not_empty(const std::string& text) { return text.empty() ? "names no file" : ""; }

}  // namespace

void CaseOutputs::add_timeline(CLI::App& app) {
  app.add_option("--timeline", timeline_, "write every task's phases as CSV; of several cases, one file each")
      ->type_name("FILE")
      ->check(not_empty);
}

void CaseOutputs::add_trace(CLI::App& app) {
  app.add_option("--trace", trace_, "write a Chrome trace, which Perfetto opens; of several cases, one file each")
      ->type_name("FILE")
      ->check(not_empty);
}

void CaseOutputs::plan(std::span<const Selection> selections, const std::vector<fs::path>& more_inputs) {
  const bool several_designs = std::ranges::any_of(selections, [](const Selection& selection) { return selection.designs.size() > 1; });
  timelines_ = OutputPlan("--timeline", timeline_, selections.size() > 1, several_designs);
  traces_ = OutputPlan("--trace", trace_, selections.size() > 1, several_designs);
  std::vector<fs::path> inputs = more_inputs;
  for (const Selection& selection : selections) {
    const auto files = input_files(selection.argument, selection.scenario);
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  std::vector<fs::path> outputs;
  for (const OutputPlan& plan : {timelines_, traces_}) {
    if (!plan.wanted()) continue;
    for (const Selection& selection : selections) {
      for (const Design& design : selection.designs) {
        outputs.push_back(plan.path(selection.scenario.name, design.name));
        plan.check(outputs.back(), inputs);
      }
    }
  }
  check_distinct(outputs);
}

void CaseOutputs::write(Json& object, const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed,
                        std::span<const TraceRun> runs) {
  if (timelines_.wanted()) {
    const fs::path path = timelines_.path(scenario.name, design.name);
    write_timeline_csv(path, scenario.graph, *runs.front().timeline);
    object["timeline_file"] = path.string();
    written_.push_back(path.string());
  }
  if (traces_.wanted()) {
    const fs::path path = traces_.path(scenario.name, design.name);
    Json facts = {{"design", design.name}, {"resolved_design", design_to_json(design)}};
    add_provenance(facts, scenario, seed);
    write_chrome_trace(path, scenario.graph, runs, facts);
    object["trace_file"] = path.string();
    written_.push_back(path.string());
  }
}

std::string CaseOutputs::written() const {
  std::string text;
  for (const std::string& path : written_) text += "wrote " + path + '\n';
  return text;
}

}  // namespace tasktwin::verify
