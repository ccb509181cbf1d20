#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/document/without_place.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/load/assemble.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"
#include "scenarios/scenario_writer/swimlane_scenario.hpp"
#include "verify/capture/captured_program.hpp"
#include "verify/cli/commands/scenario_files.hpp"
#include "verify/compare/replay_check.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/progress.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/admission.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kMostDevice = 65'535;
constexpr double kExactPercent = 3;  ///< a replay that is off by no more needs no word

std::string not_empty(const std::string& text) { return text.empty() ? "names nothing" : ""; }

/// A decimal number from `low` to `high`.
template <class Number>
CLI::Validator within(Number low, Number high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        Number value{};
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool right = error == std::errc{} && rest == text.data() + text.size() && value >= low && value <= high;
        return right
                   ? std::string()
                   : fmt::format("'{}' is not a {} from {} to {}", text, std::is_integral_v<Number> ? "whole number" : "number", low, high);
      },
      "");
}

std::string word_list(std::span<const scenarios::Importer> importers) {
  std::string words;
  for (const scenarios::Importer& importer : importers) words += fmt::format("  {}: {}\n", importer.name, importer.meaning);
  return words;
}

/// The option for what scenario files call `field`, under graph.
std::string option_of(std::string_view field) {
  std::string option = "--" + std::string(field);
  std::ranges::replace(option, '_', '-');
  return option;
}

/// What begins with the name of such a field begins with that of the option.
InputError with_options(const InputError& error) {
  const std::string text = scenarios::without_place(error);
  for (const scenarios::ImportOptionField& field : scenarios::import_option_fields()) {
    if (text.starts_with(std::string(field.name) + ": ")) return {error.where(), option_of(field.name) + text.substr(field.name.size())};
  }
  return error;
}

/// A name that scenarios can have, of the file that is written: what it cannot begin with and what is too long are left out.
std::string scenario_name_of(const std::filesystem::path& output) {
  constexpr std::size_t kLongest = 100;
  const std::string word = file_word(output.stem().string());
  const std::size_t first = word.find_first_not_of("._-");
  return first == std::string::npos ? "imported" : word.substr(first, kLongest);
}

/// Of several devices.
std::string usual_machine(int devices) {
  constexpr std::array<std::pair<int, const char*>, 5> kBySize{
      {{1, "nvidia-h200"}, {2, "nvidia-h200x2"}, {4, "nvidia-h100x4"}, {8, "dgx-h100"}, {1024, "dgx-h100x128"}}};
  const auto found = std::ranges::find_if(kBySize, [devices](const auto& one) { return one.first >= devices; });
  return found == kBySize.end() ? kBySize.back().second : found->second;
}

/// The form that takes a file of any format of the table.
class FileImport {
 public:
  explicit FileImport(CLI::App& app) {
    app.add_option("FILE", files_,
                   "the file; its format is found by its beginning. Of Chakra the files of all ranks of a run, or a folder that has them "
                   "as .et")
        ->type_name("...");
    app.add_option("--output", output_, "the scenario file to write; it names FILE, which stays where it is")
        ->type_name("FILE")
        ->check(not_empty);
    app.add_option("--as", format_, "read it as this format")->type_name("FORMAT")->check(not_empty);
    app.add_option("--machine", machine_,
                   "machine of the scenario; by default the shipped one of the model that the file names, else nvidia-h200")
        ->type_name("NAME|FILE")
        ->check(not_empty);
    app.add_option("--name", name_, "the scenario's name; that of the output file by default")->type_name("NAME")->check(not_empty);
    app.add_option("--limit", limit_,
                   "refuse a captured run whose replay is off by more per cent; 25 by default; more than 3 is stated in the scenario")
        ->type_name("PERCENT")
        ->check(within(0.0, 1000.0));
    for (const scenarios::ImportOptionField& field : scenarios::import_option_fields()) {
      const std::string flag = option_of(field.name);
      const std::string meaning(field.meaning);
      if (field.number) app.add_option(flag, options_.*field.number, meaning)->type_name("N")->check(within(0, kMostDevice));
      if (field.text) app.add_option(flag, options_.*field.text, meaning)->type_name("TEXT")->check(not_empty);
      if (field.list && !field.files)
        app.add_option(flag, options_.*field.list, meaning)->type_name("PATTERN,...")->delimiter(',')->check(not_empty);
    }
  }

  int run() {
    if (files_.empty()) throw InputError("scenario import: FILE is missing; see 'tasktwin scenario import --help'");
    take_files();
    const scenarios::Importer& importer = scenarios::importer_of(file_, format_);
    if (output_.empty()) throw InputError("--output is missing: the scenario file to write");
    const std::filesystem::path output(output_);
    std::vector<std::filesystem::path> inputs{file_, options_.with};
    inputs.insert(inputs.end(), options_.ranks.begin(), options_.ranks.end());
    OutputPlan("--output", output_, false, false).check(output, inputs);
    const scenarios::Imported imported = read(importer);
    choose_machine(imported);
    const std::string name = name_.empty() ? scenario_name_of(output) : name_;
    const std::vector<scenarios::ImportDesign> designs = seated(imported);
    scenarios::ImportScenario wanted{name, machine_, file_, std::string(importer.name), options_, 0, output};
    scenarios::import_scenario_yaml(imported, wanted, designs);  // refuses before anything is printed
    if (!quiet()) tell(importer, imported);
    if (imported.program && imported.graph.size() > 0) {
      const double percent = replay(imported);
      if (std::abs(percent) > limit_) {
        note(fmt::format("error: {}: the replay is off by {:+.1f} %, more than --limit {} allows; nothing is written", file_, percent,
                         limit_));
        return 1;
      }
      if (std::abs(percent) > kExactPercent) {
        wanted.replay_off_percent = percent;
        if (!quiet())
          print(wrap(fmt::format("note: the replay is off by {:+.1f} %: the scenario says so, and each result of it", percent)) + '\n');
      }
    }
    write_file(output, scenarios::import_scenario_yaml(imported, wanted, designs));
    print(fmt::format("wrote {}\n", output_));
    return 0;
  }

 private:
  /// The first is the one by which the format is found; others are of further ranks. A folder means its traces.
  void take_files() {
    std::error_code ignored;
    if (files_.size() == 1 && std::filesystem::is_directory(files_.front(), ignored)) {
      const std::filesystem::path folder = files_.front();
      files_.clear();
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::filesystem::path name = entry.path();
        if (name.extension() == ".gz") name.replace_extension();
        if (name.extension() == ".et") files_.push_back(entry.path().string());
      }
      if (files_.empty()) throw InputError({folder.string()}, "is a folder without Chakra traces (.et); name the file that is meant");
      std::ranges::sort(files_);
    }
    file_ = files_.front();
    if (files_.size() > 1) options_.ranks.assign(files_.begin() + 1, files_.end());
  }

  scenarios::Imported read(const scenarios::Importer& importer) {
    Progress progress;
    scenarios::ImportOptions options = options_;
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      progress.show(fmt::format("reading {}: {} of {} MB", file_, done / 1'000'000, all / 1'000'000));
    };
    check_options(file_, importer, options, option_of);
    try {
      return scenarios::import_file(file_, std::string(importer.name), options);
    } catch (const scenarios::InputFaults&) {
      throw;  // of rows, which no option is about
    } catch (const InputError& error) {
      throw with_options(error);
    }
  }

  /// That of the model that the file names, where the command line names none.
  void choose_machine(const scenarios::Imported& imported) {
    if (!machine_.empty()) return;
    const std::optional<std::string> shipped = scenarios::shipped_machine_of(imported);
    machine_ = shipped.value_or(usual_machine(imported.graph.devices()));
    if (shipped)
      machine_note_ = fmt::format("machine: {}, measured on a '{}' as the file names", machine_, imported.device);
    else if (imported.graph.devices() > 1)
      machine_note_ = fmt::format("note: {} devices: machine {} is taken; --machine names another", imported.graph.devices(), machine_);
    else
      machine_note_ = "note: " + assumed_machine(imported, machine_);
  }

  /// Designs under which the machine can run the graph. Throws InputError of the first where there is none.
  std::vector<scenarios::ImportDesign> seated(const scenarios::Imported& imported) const {
    std::vector<scenarios::ImportDesign> designs;
    std::string why;
    scenarios::Scenario scenario;
    scenario.machine = scenarios::import_machine(imported, machine_);
    scenario.graph = imported.graph;
    scenario.program = imported.program;
    for (scenarios::ImportDesign& design : scenarios::import_designs(imported)) {
      try {
        scenarios::check_runnable(scenario.graph, scenario.machine, design.design);
        check_admission(scenario, design.design);
        designs.push_back(std::move(design));
      } catch (const InputError& refused) {
        if (why.empty()) why = refused.what();
      }
    }
    if (designs.empty()) throw InputError({file_}, why);
    return designs;
  }

  void tell(const scenarios::Importer& importer, const scenarios::Imported& imported) const {
    std::string counts;
    for (const auto& [what, count] : imported.counts)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", format_count(count), what);
    print(wrap(fmt::format("{}: {}: {}", file_, importer.name, counts)) + '\n');
    print(wrap(fmt::format("{} tasks, {} dependencies", format_count(static_cast<std::int64_t>(imported.graph.size())),
                           format_count(static_cast<std::int64_t>(imported.graph.edge_count())))) +
          '\n');
    if (!machine_note_.empty()) print(wrap(machine_note_) + '\n');
    tell_ranges(imported.ranges);
    for (const scenarios::MeasuredConstant& constant : imported.constants)
      print(wrap(fmt::format("measured: {} {:.0f}, {}, {} {}", constant.key, constant.value, constant.method, constant.statistic(),
                             format_count(constant.occasions))) +
            '\n');
    for (const std::string& remark : imported.remarks) print(wrap("note: " + remark) + '\n');
  }

  static void tell_ranges(std::span<const scenarios::NamedRange> ranges) {
    constexpr std::size_t kMost = 20;
    for (const scenarios::NamedRange& range : ranges.first(std::min(kMost, ranges.size()))) {
      const std::string times = range.times == 1 ? "once" : format_count(range.times) + " times";
      print(wrap(fmt::format("range '{}': {}, {}{}", range.name, times, format_us(range.total / range.times),
                             range.times == 1 ? "" : " each in the mean")) +
            '\n');
    }
    if (ranges.size() > kMost) print(fmt::format("{} further ranges\n", ranges.size() - kMost));
  }

  /// By how many per cent the captured run is off when it is simulated.
  double replay(const scenarios::Imported& imported) const {
    const ReplayCheck check = check_replay(imported, machine_);
    if (!quiet()) print(replay_text(check, imported.graph));
    return 100 * check.error();
  }

  std::vector<std::string> files_;
  std::string file_;  ///< the first
  std::string output_;
  std::string format_;
  std::string machine_;
  std::string machine_note_;
  std::string name_;
  double limit_ = 25;
  scenarios::ImportOptions options_;
};

class ScenarioImport : public Command {
 public:
  explicit ScenarioImport(CLI::App& app) : app_(app), file_(app) {
    app.require_subcommand(0, 1);
    app.footer("Makes a scenario of a file of another program, so that it can be replayed as it was and under other designs. Formats:\n" +
               word_list(scenarios::importers()) +
               "\nThe scenario names the file, which is read anew each time. A captured run is replayed; a replay that is off by\n"
               "more than 3 % is stated in the scenario, and refused (exit 1) beyond --limit.\n" +
               std::string(kExample));
    CLI::App& swimlane = *app.add_subcommand("swimlane", "of the Ascend runtime's chip_swimlane_records.json and deps.json");
    swimlane.add_option("RECORDS", records_, "chip_swimlane_records.json")->type_name("")->required();
    swimlane.add_option("DEPS", deps_, "deps.json of the same graph")->type_name("")->required();
    swimlane.add_option("--output", output_, "the scenario file to write; it names the two files, which stay where they are")
        ->type_name("FILE")
        ->required()
        ->check(not_empty);
    swimlane
        .add_option(
            "--machine", machine_,
            "machine whose constants the capture's cores get; by default ascend-a2a3, or ascend-a5 where it has more cores than that")
        ->type_name("NAME|FILE")
        ->check(not_empty);
    swimlane.add_option("--name", name_, "the scenario's name; that of the output file by default")->type_name("NAME")->check(not_empty);
    run_option_ = swimlane.add_option("--run", run_, "the run that is meant, by its run_epoch, where the file has several")
                      ->type_name("N")
                      ->check(within(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
    swimlane.footer(
        "Each row of aicore_tasks, a task's part on one core, becomes a task that lasts as long as it did, on a machine with the "
        "capture's\n"
        "cores. Design `replay` keeps its placement and order; the others choose anew. Parts of one task need not start together.\n" +
        std::string(kExample));
  }

  int run() override { return app_.got_subcommand("swimlane") ? swimlane() : file_.run(); }

 private:
  std::optional<std::int64_t> run_epoch() const { return run_option_->count() > 0 ? std::optional(run_) : std::nullopt; }

  int swimlane() {
    const std::filesystem::path output(output_);
    OutputPlan("--output", output_, false, false).check(output, {records_, deps_});
    const scenarios::SwimlaneCapture capture = scenarios::read_swimlane(records_, deps_, run_epoch());
    const std::string name = name_.empty() ? scenario_name_of(output) : name_;
    const std::string text = scenarios::swimlane_scenario_yaml(
        capture, {name, machine_.empty() ? scenarios::machine_named_for(capture) : machine_, records_, deps_, output, run_epoch()});
    const scenarios::Scenario scenario = scenarios::scenario_from(scenarios::parse_document(output_, text), check_admission);
    write_file(output, text);
    const Timeline timeline = scenarios::captured_timeline(capture, scenario.machine.compute_cores);
    for (const std::string& warning : capture.warnings) remark(warning);
    print(fmt::format("{}: {} tasks, {} edges on {} cores, captured in {} at {} Hz\nwrote {}\n", name,
                      format_count(static_cast<std::int64_t>(scenario.graph.size())),
                      format_count(static_cast<std::int64_t>(scenario.graph.edge_count())),
                      format_count(static_cast<std::int64_t>(capture.cores.size())), format_us(timeline.makespan()),
                      format_count(capture.clock.hz()), output_));
    return 0;
  }

  static constexpr const char* kExample =
      "Example: tasktwin simulate example --designs shared-queue --swimlane run"
      " && tasktwin scenario import swimlane run/chip_swimlane_records.json run/deps.json --output again.yaml";

  CLI::App& app_;
  FileImport file_;
  std::string records_;
  std::string deps_;
  std::int64_t run_ = 0;
  CLI::Option* run_option_ = nullptr;
  std::string output_;
  std::string machine_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_scenario_import(CLI::App& app) { return std::make_unique<ScenarioImport>(app); }

}  // namespace tasktwin::verify
