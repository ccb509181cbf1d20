#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/bench/claims/claims_command.hpp"
#include "verify/calibration/drift.hpp"
#include "verify/cli/case_outputs.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/compare/ablation.hpp"
#include "verify/compare/case_record.hpp"
#include "verify/compare/verdict.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/pool/in_parallel.hpp"
#include "verify/predict/perturbation.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/recordings/recorded_selection.hpp"
#include "verify/referee/referee_command.hpp"
#include "verify/reference/accuracy_reference.hpp"
#include "verify/rerun/rerun_verdict.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kDefaultLimit = 0.15;
constexpr std::uint64_t kMaxRepeats = 100'000;

class VerifyCommand : public Command {
 public:
  explicit VerifyCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, scenarios_);
    CLI::Option* recorded = app.add_flag("--recorded", recorded_, "against recorded measurements, even where there is a GPU");
    app.add_flag("--live", live_, "against the GPU; fails without one")->excludes(recorded);
    add_designs(app, designs_);
    add_machine(app, machine_);
    add_plan(app, plan_);
    add_percent(app, "--limit", limit_, "the largest makespan error that passes, in per cent; 15 by default");
    app.add_flag("--allow-drift", allow_drift_, "measure even though the machine file no longer fits the GPU at hand");
    app.add_flag("--breakdown", breakdown_, "say where each error sits: in bodies or scheduling, and in which phase");
    app.add_flag("--sensitivity", sensitivity_, "say which predictions move when a constant of the machine is 20 % off, each alone");
    add_jobs(app, jobs_);
    app.add_flag("--ablate", ablate_, "say what each part of the model buys: errors of recordings with it left out, each alone");
    add_format(app, format_, {"text", "json", "md", "md-summary"});
    outputs_.add_trace(app);
    add_claims();
    app.add_flag("--reruns", reruns_, "hold the predictions that files of 'tasktwin rerun --predict' have against what they measured")
        ->group("Reruns of programs, in place of scenarios");
    app.add_option("--public", public_,
                   "hold predictions against what others published, of all sources or those of these names in place of scenarios; files of "
                   "theirs lie in FOLDER/<owner>/<repository>/")
        ->type_name("FOLDER")
        ->group("What others measured, in place of scenarios");
    app.footer(
        "Simulates each case and holds it against its measurement on the GPU, or, where there is none and with --recorded, against the\n"
        "recordings that come with the project. Without SCENARIO: all recordings. Says whether the predicted winner is the measured one.\n"
        "\n"
        "Columns. measured: the median of the runs without phase stamps; stamped: of those with them. predicted: streams and graphs with\n"
        "the host's calls as quick as they were when measured; where chance has a part, the run of the median makespan among several.\n"
        "error: predicted / measured − 1. noise: (p75 − p25) / median of the runs without stamps. start: |predicted − measured start of\n"
        "a task| / measured makespan. With --breakdown, error: predicted over the makespan of the stamped run that was kept, minus 1;\n"
        "scheduling alone: with bodies as measured; bodies alone: with everything else as measured; stamps: that run over the median\n"
        "without stamps, minus 1.\n"
        "--format md is docs/reference/accuracy.md, with --ablate the table of docs/reference/parts.md; md-summary is the README's table.\n"
        "Exit 1: an error beyond --limit, a run out of order or with wrong numbers, or, with --strict, a prediction that says otherwise\n"
        "Example: tasktwin verify --recorded cholesky\n"
        "Example: tasktwin verify --claims C14 C16 --recorded\n"
        "Example: tasktwin verify --public . nccl-h100\n"
        "Example: tasktwin verify --live cholesky --designs static-queues    # on a GPU\n"
        "Example: tasktwin verify --live moe-layer --plan plan.json    # on a GPU");
  }

  int run() override {
    check_usage();
    if (claims_) return verify_claims(claim_options());
    if (reruns_) return verify_reruns({.files = scenarios_, .limit = limit_, .json = format_ == "json"});
    if (!public_.empty())
      return verify_public({.folder = public_, .sources = scenarios_, .jobs = static_cast<std::size_t>(jobs_), .format = format_});
    Progress progress;
    if (ablate_) return print_ablations(progress);
    const auto no_gpu = recorded_ ? std::nullopt : why_no_gpu_in_child();
    if (live_ && no_gpu) require_gpu();  // says why
    const bool live = !recorded_ && !no_gpu;
    if (live && jobs_ != 1) throw InputError("--jobs: a GPU is measured by one process; --recorded takes recordings");
    RecordedSelections cases = select(live, progress);
    outputs_.plan(cases.selections, cases.files);
    std::optional<GpuSession> session;
    if (live) {
      require_executors(cases.selections);
      if (!allow_drift_) require_fit(cases.selections, progress);
      session.emplace(gpu::RunOptions{}, "DIR", cases.selections, progress);
    }
    tell_remarks(cases.selections);
    if (is_text()) print(introduction(live, no_gpu, session));

    Json results = Json::array();
    std::vector<CaseComparison> comparisons;
    std::optional<DeferredInterrupt> deferred;
    if (!live) deferred.emplace();                                  // a run on the GPU comes to no early end
    progress.expect(run_count(cases.selections, session ? 2 : 1));  // measured, and simulated
    std::deque<JudgedCase> recorded = jobs_ == 1 ? std::deque<JudgedCase>() : judge_in_parallel(cases, progress);
    for (std::size_t i = 0; i < cases.selections.size(); ++i) {
      std::vector<CaseComparison> group;
      std::vector<ErrorBreakdown> breakdowns;
      std::string measured_where;
      for (std::size_t d = 0; d < cases.selections[i].designs.size(); ++d) {
        const Design& design = cases.selections[i].designs[d];
        if (interrupt_asked()) break;
        const RecordedCase measured = session ? session->measure(cases.selections[i], design) : std::exchange(cases.measured[i][d], {});
        if (d == 0) measured_where = origin(measured);
        try {
          if (jobs_ == 1) recorded.push_back(judge(cases.selections[i].scenario, design, measured, progress));
          if (recorded.empty()) throw Interrupted();
          results.push_back(take(std::move(recorded.front()), cases.selections[i].scenario, measured, group, breakdowns));
          recorded.pop_front();
        } catch (const Interrupted&) {
          break;
        }
      }
      if (is_text() && !group.empty()) print(heading(cases.selections[i].scenario) + measured_where + cases_to_text(group, limit_) + '\n');
      if (is_text() && !breakdowns.empty()) print(breakdowns_to_text(breakdowns) + '\n');
      comparisons.insert(comparisons.end(), group.begin(), group.end());
      if (interrupt_asked()) {
        progress.clear();
        if (!comparisons.empty()) report(live, comparisons, std::move(results), cases.left_out);
        note(fmt::format("interrupted: {} of {}", comparisons.size(), run_count(cases.selections, 1)));
        throw Interrupted();
      }
      if (sensitivity_)
        perturb(cases.selections[i].scenario, cases.selections[i].designs, perturbed_, progress, static_cast<std::size_t>(jobs_));
    }
    tell_doubts();
    report(live, comparisons, std::move(results), cases.left_out);
    return std::ranges::all_of(comparisons, [this](const CaseComparison& one) { return fault(one, limit_).empty(); }) ? 0 : 1;
  }

 private:
  /// --claims and what goes with it, in a group of its own in the help.
  void add_claims() {
    const char* const group = "Claims, in place of scenarios";
    app_.add_flag("--claims", claims_,
                  "hold claims about mechanisms, by id or file, against measurements and predictions; all shipped by default")
        ->group(group);
    repeats_ = static_cast<std::uint64_t>(ClaimOptions{}.repeats);
    add_whole(app_, "--repeats", repeats_, 1, kMaxRepeats, fmt::format("runs of each side; {} by default", repeats_));
    app_.get_option("--repeats")->group(group);
    app_.add_option("--record", record_, "keep what was measured in DIR/<machine>/claims.jsonl, as '--recorded' reads it")
        ->type_name("DIR")
        ->group(group);
    app_.add_flag("--strict", strict_, "fail if a comparison is not measured, or if the prediction says otherwise")->group(group);
  }

  /// Throws InputError for options that do not go together.
  void check_usage() const {
    const auto refuse = [](std::string_view what, std::string_view with) {
      throw InputError(fmt::format("{} {}; see 'tasktwin verify --help'", what, with));
    };
    const auto given = [this](const char* option) { return app_.get_option(option)->count() > 0; };
    for (const char* option :
         {"--designs", "--machine", "--limit", "--allow-drift", "--breakdown", "--sensitivity", "--trace", "--perfetto", "--svg"}) {
      if (claims_ && given(option)) refuse("--claims", fmt::format("excludes {}", option));
    }
    for (const char* option : {"--recorded", "--claims", "--public", "--ablate"}) {
      if (given("--plan") && given(option)) refuse("--plan", fmt::format("excludes {}", option));
    }
    if (given("--plan") && scenarios_.empty()) refuse("--plan", "requires SCENARIO");
    for (const char* option : {"--repeats", "--record", "--strict"}) {
      if (!claims_ && given(option)) refuse(option, "requires --claims");
    }
    for (const char* option : {"--repeats", "--record", "--allow-drift"}) {
      if (recorded_ && given(option)) refuse(option, "excludes --recorded");
    }
    if (given("--record") && record_.empty()) refuse("--record", "needs a folder");
    for (const char* option : {"--claims", "--live", "--trace", "--perfetto", "--svg"}) {
      if (jobs_ != 1 && given(option)) refuse("--jobs", fmt::format("excludes {}", option));
    }
    for (const char* option :
         {"--claims", "--live", "--allow-drift", "--breakdown", "--sensitivity", "--jobs", "--trace", "--perfetto", "--svg"}) {
      if (ablate_ && given(option)) refuse("--ablate", fmt::format("excludes {}", option));
    }
    for (const char* option : {"--claims", "--recorded", "--live", "--designs", "--machine", "--limit", "--allow-drift", "--breakdown",
                               "--sensitivity", "--ablate", "--trace", "--perfetto", "--svg"}) {
      if (given("--public") && given(option)) refuse("--public", fmt::format("excludes {}", option));
    }
    for (const char* option : {"--claims", "--recorded", "--live", "--designs", "--machine", "--breakdown", "--sensitivity", "--ablate",
                               "--allow-drift", "--jobs", "--trace", "--perfetto", "--svg", "--public"}) {
      if (reruns_ && given(option)) refuse("--reruns", fmt::format("excludes {}", option));
    }
    if (reruns_ && is_markdown()) refuse("--reruns", "excludes --format " + format_);
    if (given("--public") && public_.empty()) refuse("--public", "needs a folder");
    if (given("--public") && format_ == "md-summary") refuse("--format md-summary", "excludes --public");
    if (ablate_ && format_ == "md-summary") refuse("--format md-summary", "excludes --ablate");
    for (const char* option : {"--claims", "--breakdown", "--sensitivity"}) {
      if (is_markdown() && given(option)) refuse("--format " + format_, fmt::format("excludes {}", option));
    }
  }

  bool is_text() const { return format_ == "text"; }
  bool is_markdown() const { return format_.starts_with("md"); }

  /// Of the recordings, whether there is a GPU or not.
  int print_ablations(Progress& progress) const {
    const std::vector<Ablation> ablations = ablate(select(false, progress), progress);
    progress.clear();
    print(is_text()         ? ablations_to_text(ablations)
          : format_ == "md" ? ablations_to_markdown(ablations)
                            : result_to_text({{"ablations", to_json(ablations)}, {"version", version()}}));
    return 0;
  }

  ClaimOptions claim_options() const {
    return {.claims = scenarios_,
            .recorded = recorded_,
            .live = live_,
            .repeats = static_cast<int>(repeats_),
            .record = record_,
            .strict = strict_,
            .json = format_ == "json"};
  }

  /// Says how far off small runs' predictions are. Throws RunError if a machine file is of another machine than the GPU at hand.
  void require_fit(const std::vector<Selection>& selections, Progress& progress) const {
    std::vector<std::string> checked;
    for (const Selection& selection : selections) {
      if (std::ranges::find(checked, selection.scenario.machine_hash) != checked.end()) continue;
      checked.push_back(selection.scenario.machine_hash);
      const auto show = [&progress](std::string_view what) { progress.show(fmt::format("checking the machine file: {}", what)); };
      const std::vector<SpotCheck> checks = measure_drift(selection.scenario.machine, show, gpu_calibration_backend);
      progress.clear();
      const std::string drift = drift_text(selection.scenario.machine_file, checks);
      if (!drift.empty()) throw RunError(drift);
      if (is_text()) print(wrap(fmt::format("machine file {}: {}", selection.scenario.machine_file, spots_text(checks))) + '\n');
    }
  }

  RecordedSelections select(bool live, Progress& progress) const {
    if (scenarios_.empty()) return all_recordings(recordings_folder(), designs_, machine_, progress);
    std::vector<Selection> selections = load_selections(scenarios_, designs_, machine_, progress);
    if (!plan_.empty()) {
      if (!live) throw RunError("--plan: nothing is recorded of plans, and there is no GPU here to run them");
      follow_plan(plan_, designs_, selections);
    }
    if (!live) return find_recordings(std::move(selections), !designs_.empty(), recordings_folder());
    RecordedSelections result;
    result.selections = std::move(selections);
    return result;
  }

  JudgedCase judge(const scenarios::Scenario& scenario, const Design& design, const RecordedCase& measured, Progress& progress) {
    progress.show(fmt::format("simulating {} under {}", scenario.name, design.name));
    const VerifiedCase verified = verify_case(scenario, design, measured, breakdown_);
    JudgedCase one = judged(verified, scenario, measured, limit_);
    std::vector<TraceRun> runs{{"predicted", &verified.prediction.timeline, design.driver}};
    if (!measured.starts) runs.push_back({"measured", &measured.timeline, design.driver});
    outputs_.write(one.result, scenario, design, scenario.seed, runs);
    progress.clear();
    progress.advance();
    return one;
  }

  /// All of them in order, or as many as there are when the signal comes.
  std::deque<JudgedCase> judge_in_parallel(const RecordedSelections& cases, Progress& progress) const {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i < cases.selections.size(); ++i) {
      for (std::size_t d = 0; d < cases.selections[i].designs.size(); ++d) all.emplace_back(i, d);
    }
    std::deque<JudgedCase> done;
    const auto work = [&](std::size_t number) {
      const auto [i, d] = all[number];
      const scenarios::Scenario& scenario = cases.selections[i].scenario;
      const RecordedCase& measured = cases.measured[i][d];
      return to_record(judged(verify_case(scenario, cases.selections[i].designs[d], measured, breakdown_), scenario, measured, limit_));
    };
    progress.show("simulating");
    try {
      in_parallel(static_cast<std::size_t>(jobs_), all.size(), work, [&](std::size_t, const Json& record) {
        done.push_back(judged_from(record));
        progress.advance();
        progress.show("simulating");
      });
    } catch (const Interrupted&) {
    }
    progress.clear();
    return done;
  }

  Json take(JudgedCase one, const scenarios::Scenario& scenario, const RecordedCase& measured, std::vector<CaseComparison>& group,
            std::vector<ErrorBreakdown>& breakdowns) {
    const CaseComparison& comparison = group.emplace_back(std::move(one.comparison));
    measured_.push_back({comparison, measured.device, measured.driver, measured.date});
    if (measured.starts && (breakdown_ || outputs_.wanted()))
      without_timeline_.push_back(fmt::format("{} under {}", scenario.name, comparison.design));
    if (one.breakdown) breakdowns.push_back(std::move(*one.breakdown));
    if (one.host_pace > kDisturbedHost)
      disturbed_.push_back(fmt::format("{} under {} ({:.2f} ×)", scenario.name, comparison.design, one.host_pace));
    if (const std::size_t moved = comparison.moved_tasks.value_or(0); moved > 0)
      moved_.push_back(fmt::format("{} under {} ({} of {} tasks)", scenario.name, comparison.design, moved, scenario.graph.size()));
    return std::move(one.result);
  }

  static std::string introduction(bool live, const std::optional<std::string>& no_gpu, const std::optional<GpuSession>& session) {
    if (live) return fmt::format("predictions against the GPU, live: {}, driver {}\n\n", session->device().name, session->device().driver);
    if (no_gpu) return wrap(fmt::format("predictions against recorded measurements (no GPU: {})", *no_gpu)) + "\n\n";
    return "predictions against recorded measurements\n\n";
  }

  static std::string heading(const scenarios::Scenario& scenario) {
    return fmt::format("{}: {} tasks, {} edges on {}, seed {}\n", coloured(scenario.name, Tone::kStrong),
                       format_count(static_cast<std::int64_t>(scenario.graph.size())),
                       format_count(static_cast<std::int64_t>(scenario.graph.edge_count())), scenarios::machine_title(scenario.machine),
                       scenario.seed);
  }

  static std::string origin(const RecordedCase& measured) {
    return fmt::format("measured on {}, driver {}, {}, {} runs each\n", measured.device, measured.driver, measured.date,
                       measured.makespans.size());
  }

  /// Each remark once, with all the cases that it is about.
  void tell_doubts() const {
    const auto tell = [](std::string_view what, const std::vector<std::string>& cases) {
      if (!cases.empty()) remark(wrap(fmt::format("{}; measure anew: {}", what, fmt::join(cases, ", ")), text_columns() - 6));
    };
    tell("the host's calls took longer than when the machine file was calibrated, and all else that it did may have taken longer still",
         disturbed_);
    tell("tasks were measured on another core than the frozen placement now says", moved_);
    tell("recorded without timelines, which a breakdown and a trace need", without_timeline_);
  }

  void report(bool live, const std::vector<CaseComparison>& comparisons, Json results, const std::vector<LeftOut>& left_out) const {
    if (is_markdown()) {
      print(format_ == "md" ? accuracy_to_markdown(measured_) : accuracy_summary_to_markdown(measured_));
      return;
    }
    if (is_text()) {
      for (const LeftOut& one : left_out) print(fmt::format("left out: {} under {}: {}\n", one.scenario, one.design, one.reason));
      print(summary_to_text(comparisons, rank_designs(comparisons), limit_) +
            (sensitivity_ && !interrupt_asked() ? '\n' + perturbation_to_text(perturbed_, comparisons.size()) : "") + outputs_.written());
      return;
    }
    Json all = verification_to_json(live, comparisons, std::move(results), left_out, limit_);
    if (interrupt_asked()) all["interrupted"] = true;
    if (sensitivity_ && !interrupt_asked()) all["sensitivity"] = perturbation_to_json(perturbed_);
    print(result_to_text(all));
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  bool recorded_ = false;
  bool live_ = false;
  std::string designs_;
  std::string machine_;
  std::string plan_;
  double limit_ = kDefaultLimit;
  bool allow_drift_ = false;
  bool breakdown_ = false;
  bool sensitivity_ = false;
  std::uint64_t jobs_ = 1;
  bool ablate_ = false;
  std::vector<PerturbedQuantity> perturbed_;
  std::vector<std::string> disturbed_;
  std::vector<std::string> moved_;
  std::vector<std::string> without_timeline_;
  std::string format_ = "text";
  std::vector<MeasuredCase> measured_;
  CaseOutputs outputs_;
  std::string public_;
  bool claims_ = false;
  bool reruns_ = false;
  std::uint64_t repeats_ = 0;
  std::string record_;
  bool strict_ = false;
};

}  // namespace

std::unique_ptr<Command> make_verify_command(CLI::App& app) { return std::make_unique<VerifyCommand>(app); }

}  // namespace tasktwin::verify
