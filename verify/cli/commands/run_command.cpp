#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "verify/bench/launch_costs/launch_costs_command.hpp"
#include "verify/bench/metg/metg_command.hpp"
#include "verify/cli/case_outputs.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/sanitizer.hpp"
#include "verify/compare/comparison.hpp"
#include "verify/compare/measurement.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/predict/policy_library.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/recordings/recorded_cases.hpp"
#include "verify/recordings/rerun.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kMaxRepeats = 100'000;
constexpr std::uint64_t kMaxWatchdogMs = 3'600'000;

class RunCommand : public Command {
 public:
  explicit RunCommand(CLI::App& app) : app_(app) {
    const gpu::RunOptions defaults;
    repeats_ = static_cast<std::uint64_t>(defaults.repeats);
    watchdog_ms_ = static_cast<std::uint64_t>(defaults.watchdog.count());
    add_scenarios(app, scenarios_);
    add_designs(app, designs_);
    add_machine(app, machine_);
    add_policy(app, policy_);
    add_plan(app, plan_);
    add_whole(app, "--repeats", repeats_, 1, kMaxRepeats,
              fmt::format("timed runs, each with phase stamps and without; {} by default", repeats_));
    add_whole(app, "--watchdog-ms", watchdog_ms_, 1, kMaxWatchdogMs,
              fmt::format("end a run that makes no progress for so long, in milliseconds; {} by default", watchdog_ms_));
    app.add_flag("--sanitize", sanitize_, "run once under compute-sanitizer, which finds bodies that leave their buffers");
    add_format(app, format_, {"text", "csv", "json"});
    outputs_.add_timeline(app);
    outputs_.add_swimlane(app);
    outputs_.add_trace(app);
    app.add_option("--record", record_, "keep each case under DIR/<machine>/, as 'verify' reads it; of a benchmark CSV, JSON and a page")
        ->type_name("DIR");
    app.add_flag("--without-timelines", without_timelines_,
                 "with --record: keep quantiles of when each layer's tasks started in place of timelines, a few KB a case");
    add_benchmarks();
    app.footer(
        "Runs each scenario under each design on the GPU: once with every task checking that its predecessors are done, then timed, with\n"
        "phase stamps and without. What an executor cannot run is refused by name before anything starts.\n"
        "Exit 1: there is no GPU, a run failed, was out of order or its numbers are wrong\n"
        "Example: tasktwin run cholesky --designs static-queues --repeats 10 --trace cholesky.json    # on a GPU\n"
        "Example: tasktwin run --metg --executors static-queues,shared-queue --patterns trivial,chain    # on a GPU");
  }

  int run() override {
    check_usage();
    json_ = format_ == "json";
    benchmarks_.record = record_;
    benchmarks_.json = json_;
    if (!machine_.empty()) benchmarks_.machine = machine_;
    if (metg_) return run_metg(benchmarks_);
    if (saturation_) return run_saturation(benchmarks_);
    if (launch_costs_) return run_launch_costs({.machine = benchmarks_.machine, .record = record_, .format = format_});
    Progress progress;
    std::vector<Selection> selections = load_selections(scenarios_, designs_, machine_, progress);
    if (!plan_.empty()) follow_plan(plan_, designs_, selections);
    if (!policy_.empty()) apply_policy(policy_, selections);
    outputs_.plan(selections, plan_.empty() ? std::vector<std::filesystem::path>{} : std::vector<std::filesystem::path>{plan_});
    for (const Selection& selection : selections) {
      if (!record_.empty() && selection.scenario.program)
        throw InputError("--record: '" + selection.scenario.name + "' is a captured program, in place of whose kernels others run");
    }
    require_executors(selections);
    if (sanitize_) return sanitize();
    gpu::RunOptions options;
    options.repeats = static_cast<int>(repeats_);
    options.watchdog = std::chrono::milliseconds(watchdog_ms_);
    const GpuSession session(options, record_.empty() ? "DIR" : record_, selections, progress);
    tell_remarks(selections);
    for (const Selection& selection : selections) {
      if (const auto why = rerun_remark(selection.scenario)) remark(*why);
    }
    if (!record_.empty()) {
      for (const Selection& selection : selections) {
        prepare_recording_folder(record_, selection.scenario.machine.name);
        read_recordings(cases_path(record_, selection.scenario.machine.name));  // a case is added to no damaged file
      }
    }
    progress.expect(run_count(selections));
    Json results = Json::array();
    bool all_right = true;
    for (const Selection& selection : selections) results.push_back(measure(session, selection, all_right));
    if (json_) {
      print(result_to_text(results.size() == 1 ? results.front() : results));
    } else {
      print(outputs_.written());
      for (const auto& [path, cases] : recorded_) {
        if (!quiet()) print(fmt::format("recorded {} in {}\n", cases == 1 ? "a case" : fmt::format("{} cases", cases), path));
      }
    }
    if (!all_right) note("error: a run was out of order or its numbers are wrong; see above");
    return all_right ? 0 : 1;
  }

 private:
  /// --metg, --saturation, --launch-costs and what goes with them, in a group of their own in the help.
  void add_benchmarks() {
    const char* const group = "Benchmarks, in place of scenarios";
    const auto names_something = [](const std::string& text) { return text.empty() ? std::string("names nothing") : std::string(); };
    app_.add_flag("--metg", metg_, "the smallest worthwhile task (METG) of each executor on each of Task Bench's patterns")->group(group);
    app_.add_flag("--saturation", saturation_, "tasks a µs through a dispatcher, by threads, mailbox depth and task length")->group(group);
    app_.add_flag("--launch-costs", launch_costs_, "what launching graphs of several shapes and sizes costs; also as --format csv")
        ->group(group);
    app_.add_option("--executors", benchmarks_.executors, "those of --metg; all by default")
        ->type_name("A,B,..")
        ->check(names_something)
        ->group(group);
    app_.add_option("--patterns", benchmarks_.patterns, "those of --metg; all by default")
        ->type_name("A,B,..")
        ->check(names_something)
        ->group(group);
  }

  /// Throws InputError for options that do not go together. By hand, because CLI11 repeats every exclusion in the help.
  void check_usage() const {
    const auto refuse = [](std::string_view what, std::string_view with) {
      throw InputError(fmt::format("{} {}; see 'tasktwin run --help'", what, with));
    };
    const auto given = [this](const char* name) {
      const CLI::Option* const option = app_.get_option_no_throw(name);  // not all that write files are of this command
      return option != nullptr && option->count() > 0;
    };
    const std::pair<std::string_view, bool> benchmarks[] = {
        {"--metg", metg_}, {"--saturation", saturation_}, {"--launch-costs", launch_costs_}};
    std::string_view benchmark;
    for (const auto& [name, wanted] : benchmarks) {
      if (!wanted) continue;
      if (!benchmark.empty()) refuse(benchmark, fmt::format("excludes {}", name));
      benchmark = name;
    }
    std::vector<const char*> of_scenarios{"SCENARIO", "--designs", "--policy", "--plan", "--repeats", "--watchdog-ms", "--sanitize"};
    of_scenarios.insert(of_scenarios.end(), CaseOutputs::option_names().begin(), CaseOutputs::option_names().end());
    for (const char* option : of_scenarios) {
      if (!benchmark.empty() && given(option)) refuse(benchmark, fmt::format("excludes {}", option));
    }
    for (const char* option : {"--executors", "--patterns"}) {
      if (!metg_ && given(option)) refuse(option, "requires --metg");
    }
    if (format_ == "csv" && !launch_costs_) refuse("--format csv", "requires --launch-costs");
    // 'verify' holds a recording against the scenario as its file says.
    for (const char* option : {"--record", "--policy", "--timeline", "--swimlane", "--trace", "--perfetto", "--svg", "--format"}) {
      if (sanitize_ && given(option)) refuse("--sanitize", fmt::format("excludes {}: its times mean nothing", option));
    }
    if (without_timelines_ && (record_.empty() || !benchmark.empty())) refuse("--without-timelines", "requires --record of scenarios");
    if (given("--policy") && given("--record")) refuse("--policy", "excludes --record");
    if (given("--plan") && given("--record")) refuse("--plan", "excludes --record, for what is recorded is a design of the scenario");
    if (benchmark.empty() && scenarios_.empty()) refuse("SCENARIO", "is required, or --metg, --saturation or --launch-costs");
  }

  /// Everything takes far longer there, so that the times mean nothing and a run may seem to hang.
  int sanitize() const {
    constexpr std::uint64_t kPatienceMs = 300'000;
    require_gpu();
    std::vector<std::string> arguments{"run"};
    arguments.insert(arguments.end(), scenarios_.begin(), scenarios_.end());
    if (!designs_.empty()) arguments.insert(arguments.end(), {"--designs", designs_});
    if (!machine_.empty()) arguments.insert(arguments.end(), {"--machine", machine_});
    if (!plan_.empty()) arguments.insert(arguments.end(), {"--plan", plan_});
    arguments.insert(arguments.end(), {"--repeats", "1", "--watchdog-ms", std::to_string(std::max(watchdog_ms_, kPatienceMs))});
    return run_sanitized(arguments);
  }

  Json measure(const GpuSession& session, const Selection& selection, bool& all_right) {
    const scenarios::Scenario& scenario = selection.scenario;
    Json result = measurements_to_json(scenario, session.device(), policy_);
    TextTable table({"design", "makespan", "noise", "with stamps", "order violations", "residual", "runs"});
    for (const Design& design : selection.designs) {
      const RecordedCase measured = session.measure(selection, design);
      all_right = all_right && is_right(measured);
      if (const auto why = why_disturbed(scenario, design, measured.host_call)) remark(*why);
      Json one = measurement_to_json(scenario, design, measured);
      const TraceRun traced{"measured", &measured.timeline, design.driver};
      outputs_.write(one, scenario, design, scenario.seed, {&traced, 1});
      if (!record_.empty()) {
        const auto path = write_recording(record_, without_timelines_ ? without_timeline(measured, scenario.graph) : measured);
        ++recorded_[path.string()];
        one["recording"] = path.string();
      }
      result["designs"].push_back(std::move(one));
      table.add_row({design.name, format_us(median_duration(measured.makespans)), format_percent(noise(measured.makespans)),
                     format_us(median_duration(measured.stamped_makespans)), format_count(measured.ordering_violations),
                     measured.residual ? fmt::format("{:.1e} of {:.0e}", *measured.residual, measured.residual_limit) : "none",
                     std::to_string(measured.makespans.size())});
    }
    if (!json_) {
      print(fmt::format("{}: {} tasks on {} (driver {}, CUDA {}){}\n{}", coloured(scenario.name, Tone::kStrong),
                        format_count(static_cast<std::int64_t>(scenario.graph.size())), session.device().name, session.device().driver,
                        session.device().runtime, policy_.empty() ? "" : ", in the order of " + policy_, table.to_string()));
      print("makespan: median without phase stamps; noise: (p75 − p25) / median\n\n");
    }
    return result;
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  std::string designs_;
  std::string machine_;
  std::string policy_;
  std::string plan_;
  std::uint64_t repeats_ = 0;
  std::uint64_t watchdog_ms_ = 0;
  std::string record_;
  bool without_timelines_ = false;
  std::string format_ = "text";
  bool json_ = false;
  CaseOutputs outputs_;
  std::map<std::string, int> recorded_;  ///< cases by file
  bool sanitize_ = false;
  bool metg_ = false;
  bool saturation_ = false;
  bool launch_costs_ = false;
  BenchOptions benchmarks_;
};

}  // namespace

std::unique_ptr<Command> make_run_command(CLI::App& app) { return std::make_unique<RunCommand>(app); }

}  // namespace tasktwin::verify
