#include "verify/cli/case_outputs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/timelines/chrome_trace.hpp"
#include "verify/output/timelines/perfetto_trace.hpp"
#include "verify/output/timelines/svg_gantt.hpp"
#include "verify/output/timelines/swimlane_output.hpp"
#include "verify/output/timelines/timeline_csv_output.hpp"
#include "verify/plan/list_plan.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

/// By Kind, as are the keys.
constexpr std::array kOptions{"--timeline", "--blocks", "--swimlane", "--plan-out", "--trace", "--perfetto", "--svg"};
constexpr std::array kKeys{"timeline_file", "blocks_file", "swimlane_folder", "plan_file", "trace_file", "perfetto_file", "svg_file"};

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

/// Whether there is a plan of such a design: of those that launch a program's kernels, and of those with a list for each worker.
bool is_planned(const Design& design) {
  const RuntimeId runtime = runtime_of(design).id;
  return runtime == RuntimeId::kCudaGraph || runtime == RuntimeId::kCudaStreams || runtime == RuntimeId::kStaticQueues;
}

/// What 'tasktwin run' can follow, or 'tasktwin rerun'.
Json plan_json(const scenarios::Scenario& scenario, const Design& design) {
  if (runtime_of(design).id == RuntimeId::kStaticQueues) return list_plan_json(scenario, design);
  if (!scenario.program) {
    throw InputError(fmt::format(
        "'{}' is of no captured program, whose iterations could be run again by streams or as a graph; of it a plan is of designs with a "
        "list for each worker: choose 'static-queues' or one made from it with --designs",
        scenario.name));
  }
  return to_json(plan_file_of(scenario, design), scenario.graph);
}

/// What is refused is the option's.
Json checked_plan(const scenarios::Scenario& scenario, const Design& design) {
  try {
    return plan_json(scenario, design);
  } catch (const InputError& wrong) {
    throw InputError(fmt::format("--plan-out: {}", wrong.what()));
  }
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

void CaseOutputs::add_plan(CLI::App& app) {
  add(app, kPlan, "FILE",
      "write what the design does as a plan: of fixed lists each worker's tasks, for 'tasktwin run --plan'; of a captured program's "
      "iteration streams, order and edges, for 'tasktwin rerun'");
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

bool CaseOutputs::writes(Kind kind, const Selection& selection, const Design& design, std::span<const Selection> all) {
  if (kind != kPlan) return true;
  if (!is_planned(design)) return false;
  if (!selection.scenario.program && runtime_of(design).id != RuntimeId::kStaticQueues &&
      std::ranges::any_of(selection.designs, [](const Design& one) { return runtime_of(one).id == RuntimeId::kStaticQueues; }))
    return false;
  return !selection.changes.empty() || std::ranges::all_of(all, [](const Selection& one) { return one.changes.empty(); });
}

void CaseOutputs::plan(std::span<const Selection> selections, const std::vector<fs::path>& more_inputs) {
  std::vector<fs::path> inputs = more_inputs;
  for (const Selection& selection : selections) {
    const auto files = input_files(selection.argument, selection.scenario);
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  std::vector<fs::path> outputs;
  plans_.clear();
  planned_.clear();
  for (std::size_t number = 0; number < kKinds; ++number) {
    const Kind kind = static_cast<Kind>(number);
    std::vector<std::pair<const Selection*, const Design*>> cases;
    std::size_t scenarios = 0;
    bool several_designs = false;
    for (const Selection& selection : selections) {
      const std::size_t before = cases.size();
      for (const Design& design : selection.designs) {
        if (writes(kind, selection, design, selections)) cases.emplace_back(&selection, &design);
      }
      scenarios += cases.size() > before ? 1 : 0;
      several_designs |= cases.size() > before + 1;
    }
    const OutputPlan& plan = plans_.emplace_back(kOptions.at(kind), given_.at(kind), scenarios > 1, several_designs);
    if (!plan.wanted()) continue;
    if (kind == kPlan && cases.empty())
      throw InputError(
          "--plan-out: a plan is of 'static-queues', of a captured program of 'cuda-graph' and 'cuda-streams', and of designs made from "
          "them; none of these is simulated");
    for (const auto& [selection, design] : cases) {
      const fs::path path = plan.path(selection->scenario.name, design->name);
      if (kind == kSwimlane) {
        plan.check_folder(path);
        for (const std::string_view file : {kSwimlaneRecords, kSwimlaneDeps}) plan.check_input(path / file, inputs);
      } else {
        plan.check(path, inputs);
      }
      if (kind == kPlan) {
        checked_plan(selection->scenario, *design);
        planned_.emplace_back(selection->scenario.name, design->name);
      }
      outputs.push_back(path);
    }
  }
  check_distinct(outputs);
}

void CaseOutputs::write(Json& object, const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed,
                        std::span<const TraceRun> runs) {
  Json facts = {{"design", design.name}, {"resolved_design", design_to_json(design)}};
  add_provenance(facts, scenario, seed);
  write_files(object, scenario, design.name, facts, runs);
  if (!plans_[kPlan].wanted() || std::ranges::find(planned_, std::pair(scenario.name, design.name)) == planned_.end()) return;
  const fs::path path = plans_[kPlan].path(scenario.name, design.name);
  write_file(path, scenarios::json_file_text(checked_plan(scenario, design)));
  object[kKeys.at(kPlan)] = path.string();
  written_.push_back(path.string());
}

void CaseOutputs::write_captured(const scenarios::Scenario& scenario, const TraceRun& run, const Json& facts) {
  Json files;
  write_files(files, scenario, run.label, facts, {&run, 1});
}

void CaseOutputs::write_files(Json& object, const scenarios::Scenario& scenario, const std::string& name, const Json& facts,
                              std::span<const TraceRun> runs) {
  const Timeline& timeline = *runs.front().timeline;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!plans_[kind].wanted() || kind == kPlan) continue;
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
      case kPlan:
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
