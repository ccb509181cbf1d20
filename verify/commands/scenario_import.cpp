#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "scenarios/importers/swimlane_scenario.hpp"
#include "scenarios/scenario_document.hpp"
#include "verify/admission.hpp"
#include "verify/commands/scenario_files.hpp"
#include "verify/output/atomic_file.hpp"
#include "verify/output/output_paths.hpp"
#include "verify/output/terminal.hpp"
#include "verify/output/text_table.hpp"

namespace tasktwin::verify {

namespace {

class ScenarioImport : public Command {
 public:
  explicit ScenarioImport(CLI::App& app) {
    app.require_subcommand(1);
    app.footer("Makes a scenario of a run that another program recorded, so that it can be replayed as it was and under other designs.\n" +
               std::string(kExample));
    CLI::App& swimlane = *app.add_subcommand("swimlane", "of the Ascend runtime's chip_swimlane_records.json and deps.json");
    swimlane.add_option("RECORDS", records_, "chip_swimlane_records.json")->type_name("")->required();
    swimlane.add_option("DEPS", deps_, "deps.json of the same graph")->type_name("")->required();
    const auto not_empty = [](const std::string& text) { return text.empty() ? std::string("names nothing") : std::string(); };
    swimlane.add_option("--output", output_, "the scenario file to write; it names the two files, which stay where they are")
        ->type_name("FILE")
        ->required()
        ->check(not_empty);
    swimlane.add_option("--machine", machine_, "machine whose constants the capture's cores get; ascend-a2a3 by default")
        ->type_name("NAME|FILE")
        ->check(not_empty);
    swimlane.add_option("--name", name_, "the scenario's name; that of the output file by default")->type_name("NAME")->check(not_empty);
    swimlane.footer(
        "Each row of aicore_tasks, a task's part on one core, becomes a task that lasts as long as it did, on a machine with the "
        "capture's\n"
        "cores. Design `replay` keeps its placement and order; the others choose anew. Parts of one task need not start together.\n" +
        std::string(kExample));
  }

  int run() override {
    const std::filesystem::path output(output_);
    OutputPlan("--output", output_, false, false).check(output, {records_, deps_});
    const scenarios::SwimlaneCapture capture = scenarios::read_swimlane(records_, deps_);
    const std::string name = name_.empty() ? file_word(output.stem().string()) : name_;
    const std::string text = scenarios::swimlane_scenario_yaml(capture, {name, machine_, records_, deps_, output});
    const scenarios::Scenario scenario = scenarios::admitted_scenario(scenarios::parse_document(output_, text), check_admission);
    write_file(output, text);
    const Timeline timeline = scenarios::captured_timeline(capture, scenario.machine.compute_cores);
    print(fmt::format("{}: {} tasks, {} edges on {} cores, captured in {} at {} Hz\nwrote {}\n", name,
                      format_count(static_cast<std::int64_t>(scenario.graph.size())),
                      format_count(static_cast<std::int64_t>(scenario.graph.edge_count())),
                      format_count(static_cast<std::int64_t>(capture.cores.size())), format_us(timeline.makespan()),
                      format_count(capture.clock.hz()), output_));
    return 0;
  }

 private:
  static constexpr const char* kExample =
      "Example: tasktwin simulate example --designs shared-queue --swimlane run"
      " && tasktwin scenario import swimlane run/chip_swimlane_records.json run/deps.json --output again.yaml";

  std::string records_;
  std::string deps_;
  std::string output_;
  std::string machine_ = "ascend-a2a3";
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_scenario_import(CLI::App& app) { return std::make_unique<ScenarioImport>(app); }

}  // namespace tasktwin::verify
