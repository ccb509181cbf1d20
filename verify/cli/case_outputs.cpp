#include "verify/cli/case_outputs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "scenarios/machine_files/machine_file.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/timelines/chrome_trace.hpp"
#include "verify/output/timelines/perfetto_trace.hpp"
#include "verify/output/timelines/svg_gantt.hpp"
#include "verify/output/timelines/swimlane_output.hpp"
#include "verify/output/timelines/timeline_csv_output.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

/// By Kind, as are the keys.
constexpr std::array kOptions{"--timeline", "--blocks", "--swimlane", "--trace", "--perfetto", "--svg"};
constexpr std::array kKeys{"timeline_file", "blocks_file", "swimlane_folder", "trace_file", "perfetto_file", "svg_file"};

std::string not_empty(const std::string& text) { return text.empty() ? "names no file" : ""; }

/// The Ascend runtime's two files, under the ids of the capture where the graph is of one.
void write_swimlane_of(const fs::path& folder, const scenarios::Scenario& scenario, const Timeline& timeline, const Json& facts) {
  if (!scenario.capture) {
    write_swimlane(folder, swimlane_records(timeline, facts), swimlane_deps(scenario.graph, timeline));
    return;
  }
  const scenarios::SwimlaneCapture capture =
      scenarios::read_swimlane(scenario.capture->records, scenario.capture->deps, scenario.capture->run);
  std::vector<std::uint64_t> ids;
  for (const auto& row : capture.rows) ids.push_back(row.task);
  write_swimlane(folder, swimlane_records(timeline, facts, ids), capture.deps);
}

}  // namespace

void CaseOutputs::add(CLI::App& app, Kind kind, const std::string& type, const std::string& help) {
  app.add_option(kOptions.at(kind), given_.at(kind), help + "; of several cases, one each")->type_name(type)->check(not_empty);
}

void CaseOutputs::add_timeline(CLI::App& app) {
  add(app, kTimeline, "FILE", "write every task's phases as CSV");
  add(app, kBlocks, "FILE", "write every block's core, wave and times as CSV");
}

void CaseOutputs::add_swimlane(CLI::App& app) {
  add(app, kSwimlane, "DIR", "write a folder with the Ascend runtime's chip_swimlane_records.json and deps.json");
}

void CaseOutputs::add_trace(CLI::App& app) {
  add(app, kTrace, "FILE", "write a Chrome trace, which Perfetto opens");
  add(app, kPerfetto, "FILE", "write a trace in Perfetto's own format, for large runs");
  add(app, kSvg, "FILE", "draw the timelines over one axis as SVG");
}

std::span<const char* const> CaseOutputs::option_names() { return kOptions; }

bool CaseOutputs::wants_steps() const {
  return std::ranges::any_of(std::array{kSwimlane, kTrace, kPerfetto, kSvg}, [this](Kind kind) { return !given_.at(kind).empty(); });
}

bool CaseOutputs::wanted() const {
  return std::ranges::any_of(given_, [](const std::string& file) { return !file.empty(); });
}

void CaseOutputs::plan(std::span<const Selection> selections, const std::vector<fs::path>& more_inputs) {
  const bool several_designs = std::ranges::any_of(selections, [](const Selection& selection) { return selection.designs.size() > 1; });
  plans_.clear();
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    plans_.emplace_back(kOptions.at(kind), given_.at(kind), selections.size() > 1, several_designs);
  }
  std::vector<fs::path> inputs = more_inputs;
  for (const Selection& selection : selections) {
    const auto files = input_files(selection.argument, selection.scenario);
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  std::vector<fs::path> outputs;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const OutputPlan& plan = plans_[kind];
    if (!plan.wanted()) continue;
    for (const Selection& selection : selections) {
      for (const Design& design : selection.designs) {
        const fs::path path = plan.path(selection.scenario.name, design.name);
        if (kind == kSwimlane) {
          plan.check_folder(path);
          for (const std::string_view file : {kSwimlaneRecords, kSwimlaneDeps}) plan.check_input(path / file, inputs);
        } else {
          plan.check(path, inputs);
        }
        outputs.push_back(path);
      }
    }
  }
  check_distinct(outputs);
}

void CaseOutputs::write(Json& object, const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed,
                        std::span<const TraceRun> runs) {
  Json facts = {{"design", design.name}, {"resolved_design", design_to_json(design)}};
  add_provenance(facts, scenario, seed);
  write_files(object, scenario, design.name, facts, runs);
}

void CaseOutputs::write_captured(const scenarios::Scenario& scenario, const TraceRun& run, const Json& facts) {
  Json files;
  write_files(files, scenario, run.label, facts, {&run, 1});
}

void CaseOutputs::write_files(Json& object, const scenarios::Scenario& scenario, const std::string& name, const Json& facts,
                              std::span<const TraceRun> runs) {
  const Timeline& timeline = *runs.front().timeline;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!plans_[kind].wanted()) continue;
    const fs::path path = plans_[kind].path(scenario.name, name);
    switch (static_cast<Kind>(kind)) {
      case kTimeline:
        write_timeline_csv(path, scenario.graph, timeline);
        break;
      case kBlocks:
        write_blocks_csv(path, scenario.graph, timeline);
        break;
      case kSwimlane:
        write_swimlane_of(path, scenario, timeline, facts);
        break;
      case kTrace:
        write_chrome_trace(path, scenario.graph, runs, facts);
        break;
      case kPerfetto:
        write_perfetto_trace(path, scenario.graph, runs, facts);
        break;
      case kSvg:
        write_svg_gantt(path, scenario.graph, runs,
                        fmt::format("{}: {}, on {}", scenario.name, name, scenarios::machine_title(scenario.machine)));
        break;
      case kKinds:
        break;
    }
    object[kKeys.at(kind)] = path.string();
    written_.push_back(path.string());
  }
}

std::string CaseOutputs::written() const {
  if (quiet()) return {};
  std::string text;
  for (const std::string& path : written_) text += "wrote " + path + '\n';
  return text;
}

}  // namespace tasktwin::verify
