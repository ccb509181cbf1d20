#include <chrono>
#include <filesystem>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/error.hpp"
#include "scenarios/data_folder.hpp"
#include "scenarios/kernel_costs.hpp"
#include "scenarios/scenario.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/own_kernels.hpp"
#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/gpu_session.hpp"
#include "verify/measurement.hpp"
#include "verify/output/atomic_file.hpp"
#include "verify/output/output_paths.hpp"
#include "verify/output/result_json.hpp"
#include "verify/output/terminal.hpp"

namespace tasktwin::verify {

namespace {

std::string samples_csv(const std::vector<CalibrationSample>& samples) {
  std::string text = "constant,setting,value_ns\n";
  for (const CalibrationSample& sample : samples)
    text += fmt::format("{},\"{}\",{:.3f}\n", sample.constant, sample.setting, sample.value_ns);
  return text;
}

class CalibrateCommand : public Command {
 public:
  explicit CalibrateCommand(CLI::App& app) : app_(app) {
    app.add_option("--machine", machine_, "machine file that gives the name and the cores; nvidia-h200 by default")->type_name("FILE");
    app.add_option("--output", output_,
                   "machine file to write; the samples go beside it as .samples.csv. With --kernels the file of costs; by default beside "
                   "the scenario")
        ->type_name("FILE");
    app.add_option("--kernels", kernels_, "measure the kernels that this scenario brings along, in place of a machine")
        ->type_name("SCENARIO");
    add_format(app, json_);
    app.footer(
        "Measures the GPU's launches, hops through memory, bodies and copies by micro-benchmarks, fits the\n"
        "machine's constants to them by least squares and writes a machine file, each constant with its unit, source and date.\n"
        "Exit 1: there is no GPU, a measurement failed, or the file could not be written\n"
        "With --kernels it measures the bodies of the kernels that a scenario brings along, alone and side by side, and writes their costs "
        "to\n"
        "SCENARIO.kernels.yaml beside the scenario's file, where 'simulate' and 'verify' find them.\n"
        "Example: tasktwin calibrate --machine nvidia-h200 --output mine.yaml    # on a GPU");
  }

  int run() override {
    check_usage();
    return kernels_.empty() ? calibrate_machine() : calibrate_kernels();
  }

 private:
  /// By hand, because CLI11 repeats every exclusion in the help.
  void check_usage() const {
    if (kernels_.empty() && output_.empty()) throw InputError("--output is required, or --kernels; see 'tasktwin calibrate --help'");
    if (!kernels_.empty() && app_.get_option("--machine")->count() > 0)
      throw InputError("--kernels excludes --machine: the scenario names its machine; see 'tasktwin calibrate --help'");
  }

  static std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  }

  int calibrate_kernels() {
    const scenarios::Scenario scenario = scenarios::load_scenario(kernels_);
    const std::string output = output_.empty() ? scenarios::kernel_costs_file(scenarios::find_scenario(kernels_).path) : output_;
    OutputPlan("--output", output, false, false).check(output, {});
    require_gpu();
    Progress progress;
    scenarios::KernelCosts costs = calibrate_own_kernels(
        scenario, today(), [&progress](std::string_view what) { progress.show(what); }, gpu_calibration_backend());
    progress.clear();
    costs.command = "tasktwin calibrate --kernels " + kernels_;
    write_file(output, scenarios::kernel_costs_to_yaml(costs));
    if (json_) print(result_to_text(kernel_costs_to_json(costs, output)));
    if (!json_ && !quiet()) print(fmt::format("wrote {}\n", output));
    return 0;
  }

  int calibrate_machine() {
    const std::string samples = std::filesystem::path(output_).replace_extension(".samples.csv").string();
    const Machine skeleton = scenarios::load_machine(machine_);
    for (const std::string& path : {output_, samples}) OutputPlan("--output", path, false, false).check(path, {});
    require_gpu();
    Progress progress;
    const Calibration calibration = calibrate(
        skeleton, today(), [&progress](std::string_view what) { progress.show(what); }, gpu_calibration_backend());
    progress.clear();
    const std::string machine = scenarios::machine_to_yaml(calibration.machine);
    const std::string table = samples_csv(calibration.samples);
    write_files(std::array{FileText{output_, machine}, FileText{samples, table}});
    if (json_) print(result_to_text(calibrated_to_json(calibration.machine, output_, samples)));
    if (!json_ && !quiet()) print(fmt::format("wrote {} and {}\n", output_, samples));
    return 0;
  }

  CLI::App& app_;
  std::string machine_ = "nvidia-h200";
  std::string kernels_;
  std::string output_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_calibrate_command(CLI::App& app) { return std::make_unique<CalibrateCommand>(app); }

}  // namespace tasktwin::verify
