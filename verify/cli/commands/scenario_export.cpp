#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/swimlane/swimlane_capture.hpp"
#include "verify/cli/case_outputs.hpp"
#include "verify/cli/commands/scenario_files.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/timelines/graph_dot.hpp"
#include "verify/output/timelines/swimlane_output.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kCaptured = "captured";

class ScenarioExport : public Command {
 public:
  explicit ScenarioExport(CLI::App& app) {
    const auto not_empty = [](const std::string& text) { return text.empty() ? std::string("names no file") : std::string(); };
    app.add_option("SCENARIO", argument_, "scenario file, or name of a shipped scenario")->type_name("")->required();
    app.add_option("--dot", dot_, "write the graph in Graphviz's language")->type_name("FILE")->check(not_empty);
    outputs_.add_timeline(app);
    app.add_option("--swimlane", swimlane_, "write a folder with the captured chip_swimlane_records.json and deps.json")
        ->type_name("DIR")
        ->check(not_empty);
    outputs_.add_trace(app);
    app.footer(
        "--dot writes the graph of any scenario. The others write the run that a scenario imported from a capture holds; 'simulate' and\n"
        "'run' have the same options for runs of their own. --swimlane gives back every field of the files that were imported.\n"
        "Example: tasktwin scenario export example --dot example.dot");
  }

  int run() override {
    const scenarios::Scenario scenario = scenarios::load_scenario(argument_);
    check_usage(scenario);
    const Design captured{.name = kCaptured};
    const Selection selection{argument_, scenario, {captured}};
    outputs_.plan({&selection, 1});
    const auto inputs = input_files(argument_, scenario);
    if (!dot_.empty()) OutputPlan("--dot", dot_, false, false).check(dot_, inputs);
    std::string written;
    if (!dot_.empty()) {
      write_graph_dot(dot_, scenario.graph, scenario.name);
      note_what_is_lost(scenario.graph);
      written += fmt::format("wrote {}\n", dot_);
    }
    if (scenario.capture) export_capture(scenario, inputs, written);
    if (!quiet()) print(outputs_.written() + written);
    return 0;
  }

 private:
  void note_what_is_lost(const TaskGraph& graph) const {
    std::vector<std::string> fields;
    for (const auto& [name, tasks] : lost_in_dot(graph))
      fields.push_back(fmt::format("{} of {} task{}", name, tasks, tasks == 1 ? "" : "s"));
    if (!fields.empty())
      remark(fmt::format("{}: does not come back by 'scenario import': {}; the scenario file has all", dot_, fmt::join(fields, ", ")));
  }

  void check_usage(const scenarios::Scenario& scenario) const {
    const bool of_capture = outputs_.wanted() || !swimlane_.empty();
    if (!of_capture && dot_.empty()) throw InputError("nothing to export is asked for; see 'tasktwin scenario export --help'");
    if (!of_capture || scenario.capture) return;
    throw InputError(fmt::format("scenario '{}' holds no captured run; 'tasktwin simulate {}' has the same options for simulated ones",
                                 scenario.name, argument_));
  }

  void export_capture(const scenarios::Scenario& scenario, const std::vector<std::filesystem::path>& inputs, std::string& written) {
    if (!outputs_.wanted() && swimlane_.empty()) return;
    const scenarios::SwimlaneCapture capture =
        scenarios::read_swimlane(scenario.capture->records, scenario.capture->deps, scenario.capture->run);
    const Timeline timeline = scenarios::captured_timeline(capture, scenario.machine.compute_cores);
    outputs_.write_captured(scenario, {kCaptured, &timeline}, {{"scenario", scenario.name}, {"records", scenario.capture->records}});
    if (swimlane_.empty()) return;
    const OutputPlan plan("--swimlane", swimlane_, false, false);
    OutputPlan::check_folder(swimlane_);
    const std::filesystem::path folder(swimlane_);
    for (const std::string_view file : {kSwimlaneRecords, kSwimlaneDeps}) plan.check_input(folder / file, inputs);
    write_swimlane(folder, captured_records(capture, timeline), capture.deps);
    written += fmt::format("wrote {}\n", swimlane_);
  }

  std::string argument_;
  std::string dot_;
  std::string swimlane_;
  CaseOutputs outputs_;
};

}  // namespace

std::unique_ptr<Command> make_scenario_export(CLI::App& app) { return std::make_unique<ScenarioExport>(app); }

}  // namespace tasktwin::verify
