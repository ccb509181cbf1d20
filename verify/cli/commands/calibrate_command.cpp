#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "gpu/device/device_machine.hpp"
#include "gpu/task_kernels/own_registers.hpp"
#include "models/base/error.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/tasks/kernel_costs.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/drift.hpp"
#include "verify/calibration/own_kernels.hpp"
#include "verify/calibration/quick.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/compare/measurement.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/system/version.hpp"

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
    app.add_option(
           "--machine", machine_,
           "machine file that gives name, cores and limits, by default those of the GPU at hand; with --quick the one to start from")
        ->type_name("FILE");
    app.add_option(
           "--output", output_,
           "machine file to write, by default called after the machine; the samples go beside it as .samples.csv. With --kernels the "
           "file of costs; by default beside the scenario")
        ->type_name("FILE");
    app.add_flag("--quick", quick_,
                 "in seconds: measure what differs from card to card, and take the rest from the nearest shipped machine");
    app.add_option("--kernels", kernels_, "measure the kernels that this scenario brings along, in place of a machine")
        ->type_name("SCENARIO");
    app.add_flag("--links", links_, "measure only what lies between the machine's devices; all else stays as its file states it");
    add_format(app, json_);
    app.footer(
        "Measures the GPU's launches, hops through memory, bodies and copies by micro-benchmarks, fits the\n"
        "machine's constants to them by least squares and writes a machine file, each constant with its unit, source and date.\n"
        "In the end it predicts small runs that it has not been fitted to, and says how far off it is.\n"
        "What it has measured is kept in OUTPUT.steps until it is through: ended early, it goes on there on the same card.\n"
        "Exit 1: there is no GPU, a measurement failed, or the file could not be written\n"
        "With --kernels it measures the bodies of the kernels that a scenario brings along, alone and side by side, and writes their costs "
        "to\n"
        "SCENARIO.kernels.yaml beside the scenario's file, where 'simulate' and 'verify' find them.\n"
        "Example: tasktwin calibrate    # on a GPU\n"
        "Example: tasktwin calibrate --quick --output mine.yaml    # on a GPU");
  }

  int run() override {
    check_usage();
    return kernels_.empty() ? calibrate_machine() : calibrate_kernels();
  }

 private:
  /// By hand, because CLI11 repeats every exclusion in the help.
  void check_usage() const {
    if (!kernels_.empty() && quick_) throw InputError("--kernels excludes --quick; see 'tasktwin calibrate --help'");
    if (!kernels_.empty() && app_.get_option("--machine")->count() > 0)
      throw InputError("--kernels excludes --machine: the scenario names its machine; see 'tasktwin calibrate --help'");
    if (links_ && quick_) throw InputError("--links excludes --quick; see 'tasktwin calibrate --help'");
    if (!kernels_.empty() && links_) throw InputError("--kernels excludes --links; see 'tasktwin calibrate --help'");
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
    const auto* const own = std::get_if<OwnKernels>(&scenario.graph.problem());
    const std::vector<int> registers = own != nullptr ? gpu::own_kernel_registers(*own) : std::vector<int>();
    scenarios::KernelCosts costs = calibrate_own_kernels(
        scenario, today(), [&progress](std::string_view what) { progress.show(what); }, gpu_calibration_backend(), registers);
    progress.clear();
    costs.command = "tasktwin calibrate --kernels " + kernels_;
    write_file(output, scenarios::kernel_costs_to_yaml(costs));
    if (json_) print(result_to_text(kernel_costs_to_json(costs, output)));
    if (!json_ && !quiet()) print(fmt::format("wrote {}\n", output));
    return 0;
  }

  /// Throws InputError where the files cannot be written.
  static std::string samples_beside(const std::string& output) {
    const std::string samples = std::filesystem::path(output).replace_extension(".samples.csv").string();
    for (const std::string& path : {output, samples}) OutputPlan("--output", path, false, false).check(path, {});
    return samples;
  }

  static std::vector<Machine> shipped() {
    std::vector<Machine> machines;
    for (const std::string& name : scenarios::shipped_machines()) machines.push_back(scenarios::load_machine(name));
    return machines;
  }

  /// Throws InputError where there is none to start from.
  static Machine base_for(const Machine& card) {
    const std::vector<Machine> machines = shipped();
    const Machine* const nearest = nearest_machine(card, gpu::device_info().name, machines);
    if (nearest == nullptr) throw InputError("--quick starts from a GPU's machine file, and none is shipped; name one with --machine");
    return *nearest;
  }

  static void check_links(const std::optional<Machine>& stated) {
    if (stated && stated->devices.per_node > 1) return;
    const std::string what = stated ? "machine '" + stated->name + "' has one device a host; it needs" : "needs --machine with";
    throw InputError("--links: " + what + " a machine of several, such as nvidia-h200x2");
  }

  /// All that a full calibration's measurements depend on.
  static std::string finished_settings(const Machine& skeleton, const std::string& device) {
    return fmt::format("{}\n{}\n{}\n{}", version(), commit(), device, scenarios::machine_to_yaml(skeleton));
  }

  int calibrate_machine() {
    const std::optional<Machine> stated = machine_.empty() ? std::nullopt : std::optional(scenarios::load_machine(machine_));
    if (links_) check_links(stated);
    if (!output_.empty()) samples_beside(output_);  // before the GPU is asked for
    require_gpu();
    const Machine card = gpu::device_machine();
    if (output_.empty()) output_ = (stated && !quick_ ? stated->name : card.name) + ".yaml";
    const std::string samples = samples_beside(output_);
    const auto begin = std::chrono::steady_clock::now();
    Progress progress;
    const auto show = [&progress](std::string_view what) { progress.show(what); };
    std::string how;
    Calibration calibration;
    std::optional<FinishedSteps> finished;
    if (links_) {
      calibration = calibrate_links(*stated, today(), show, gpu_calibration_backend());
    } else if (quick_) {
      const Machine base = stated ? *stated : base_for(card);
      QuickCalibration quick = calibrate_quickly(card, base, today(), show, gpu_calibration_backend());
      how = fmt::format("{} constants measured here, {} scaled with their mechanism, {} as {} has them; a full calibration measures all\n",
                        quick.counts.measured, quick.counts.scaled, quick.counts.taken, base.name);
      calibration = std::move(quick.calibration);
    } else {
      const Machine& skeleton = stated ? *stated : card;
      CalibrationBackend backend = gpu_calibration_backend();
      finished.emplace(output_ + ".steps", finished_settings(skeleton, backend.device));
      if (finished->found() > 0) note(fmt::format("goes on behind the {} steps of {}", finished->found(), finished->file()));
      calibration = calibrate(skeleton, today(), show, std::move(backend), &*finished);
    }
    progress.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::string machine = scenarios::machine_to_yaml(calibration.machine);
    const std::string table = samples_csv(calibration.samples);
    write_files(std::array{FileText{output_, machine}, FileText{samples, table}});
    if (finished) finished->remove();
    if (json_) print(result_to_text(calibrated_to_json(calibration.machine, output_, samples)));
    if (!json_ && !quiet())
      print(fmt::format("wrote {} and {} after {:.0f} s\n{}{}\n", output_, samples, seconds, how, spots_text(calibration.checks)));
    return 0;
  }

  CLI::App& app_;
  std::string machine_;
  std::string kernels_;
  std::string output_;
  bool quick_ = false;
  bool links_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_calibrate_command(CLI::App& app) { return std::make_unique<CalibrateCommand>(app); }

}  // namespace tasktwin::verify
