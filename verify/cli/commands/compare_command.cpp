#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/report_options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/cli/what_if_options.hpp"
#include "verify/compare/baseline.hpp"
#include "verify/compare/design_comparison.hpp"
#include "verify/compare/standings.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/timelines/gantt.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/report/design_review.hpp"
#include "verify/rerun/rerun_file.hpp"
#include "verify/rerun/rerun_text.hpp"
#include "verify/search/search_plan.hpp"

namespace tasktwin::verify {

namespace {

class CompareCommand : public Command {
 public:
  explicit CompareCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    add_machine(app, machine_);
    add_seed(app, seed_);
    add_runs(app, runs_);
    add_jobs(app, jobs_);
    add_format(app, json_);
    app.add_flag("--gantt", gantt_, "draw each timeline in characters, dispatchers and compute cores");
    app.add_option("--baseline", baseline_, "fail where a design is slower than this result of an earlier 'compare --format json' says")
        ->type_name("FILE");
    add_percent(app, "--fail-above", gate_.fail_above,
                "how much slower is too slow, with --baseline or --fail-if-worse-than; 0 by default");
    app.add_option("--fail-if-worse-than", gate_.worse_than, "fail where another of the designs is slower than this one")
        ->type_name("DESIGN");
    app.add_option("--rerun", rerun_, "show what 'tasktwin rerun' measured of the captured program, FILE, beside what is predicted")
        ->type_name("FILE");
    what_if_.add(app);
    report_.add(app);
    app.footer(
        "Predicts each scenario under several designs and says which is faster. With --report all that is known of them goes into one\n"
        "page for a design review: verdict, timelines beside those measured, critical path, idle time, sensitivity.\n"
        "\n"
        "In place of a scenario, FILE of 'search --results FILE' compares the best point of each design that was searched.\n"
        "\n"
        "With --runs, designs are compared run by run, each with the same seeds, by a paired t test: the 95 % confidence\n"
        "interval of the mean difference. A winner is named only if it beats every other design beyond noise.\n"
        "\n"
        "As a gate: a design is too slow where its mean makespan lies more than --fail-above above the baseline's, or above the other\n"
        "design's, with 99 % confidence where times are drawn (run by run where the seeds are the same). What got slower is named with\n"
        "what grew on its critical path; a last line says how many designs passed, and what became faster.\n"
        "Exit 1: a design is too slow, a run came to a standstill, or the report cannot be written\n"
        "Example: tasktwin compare example --runs 30\n"
        "Example: tasktwin compare cholesky --designs static-queues,shared-queue --scale 'potrf*=0.5'\n"
        "Example: tasktwin compare cholesky --designs static-queues,central-dispatcher --report review.html\n"
        "Example: tasktwin compare cholesky --designs static-queues,central-dispatcher --runs 9 --fail-if-worse-than central-dispatcher");
  }

  int run() override {
    if (gantt_ && json_) throw InputError("--gantt excludes --format json: it draws into text");
    report_.check_usage();
    check_gate();
    Progress progress;
    Json results = Json::array();
    const std::vector<Selection> selections = with_what_if(load(progress), what_if_.value());
    const std::optional<RerunFile> rerun = measured_again(selections);
    gate_.check_common(selections, baseline_);
    tell_remarks(selections);
    std::optional<DesignReview> review;
    if (report_.wanted()) {
      ReviewOptions options = report_.review(command_words(), static_cast<std::size_t>(jobs_));
      options.rerun = rerun;
      review.emplace(std::move(options), selections);
    }
    std::vector<DesignMakespan> before;
    const DeferredInterrupt deferred;
    try {
      for (const Selection& selection : selections) {
        const DesignComparison result = compare(selection, progress);
        WhatIfOutcome outcome(selection, std::move(before));
        for (const Standing& standing : result.standings) outcome.add(standing.design, Duration{std::llround(standing.mean())});
        before = outcome.makespans();
        results.push_back(to_json(selection.scenario, result));
        if (!selection.changes.empty()) results.back()["changes"] = selection.changes;
        if (selection.base) results.back()["baseline"] = base_to_json(*selection.base);
        if (rerun) results.back()["rerun"] = summary_of(*rerun);
        if (!result.interrupted && gates()) hold_to_gate(selection.scenario, result, results.back());
        if (!json_)
          print(to_table(selection.scenario, result) + (what_if_.wanted() ? outcome.text() : outcome.graph_text()) +
                (gantt_ ? drawings(selection.scenario, result) : "") + '\n');
        if (result.interrupted) throw Interrupted();
        if (review) review->add(selection, result, progress);
      }
    } catch (const Interrupted&) {
      progress.clear();
      if (json_ && !results.empty()) print(result_to_text(results.size() == 1 ? results.front() : results));
      std::size_t done = 0;
      for (const Json& one : results) done += one["designs"].size();
      note(fmt::format("interrupted: {} of {}", done, run_count(selections, 1)));
      throw;
    }
    if (rerun && !json_) print(to_text(*rerun) + '\n');
    if (review) review->write();
    if (json_) print(result_to_text(results.size() == 1 ? results.front() : results));
    if (review && !json_ && !quiet()) print(fmt::format("wrote {}\n", report_.file()));
    for (const Regression& regression : outcome_.too_slow) note(wrap("too slow: " + to_text(regression)));
    if (gates() && !json_) print(wrap(to_text(outcome_, gate_.fail_above, baseline_, gate_.worse_than)) + '\n');
    return outcome_.too_slow.empty() ? 0 : 1;
  }

 private:
  /// Scenario files, or in place of one the results of a search, of which the best point of each design is taken.
  std::vector<Selection> load(Progress& progress) const {
    std::vector<Selection> all;
    for (const std::string& argument : scenarios_) {
      const bool searched = is_database(argument);
      if (searched && !machine_.empty()) throw InputError(fmt::format("--machine excludes '{}': a search's results say theirs", argument));
      std::vector<Selection> of_argument =
          searched ? best_of_search(argument, designs_) : load_selections({argument}, designs_, machine_, progress, check_admission);
      std::ranges::move(of_argument, std::back_inserter(all));
    }
    return all;
  }

  /// Throws InputError where the selections are of anything but one captured program.
  std::optional<RerunFile> measured_again(std::span<const Selection> selections) const {
    if (rerun_.empty()) return std::nullopt;
    if (scenarios_.size() != 1) throw InputError("--rerun: a rerun is of one program, and several scenarios are compared");
    if (const scenarios::Scenario& scenario = selections.front().scenario; !scenario.program)
      throw InputError(fmt::format("--rerun: '{}' is no captured program, whose kernels could have been run again", scenario.name));
    RerunFile rerun = read_rerun_file(rerun_);
    // Launches of graphs are one operation each there.
    const std::size_t tasks = selections.front().scenario.graph.size();
    if (rerun.operations.size() > tasks || (rerun.operations.size() < tasks && !launches_graphs(rerun)))
      remark(wrap(fmt::format("--rerun: {} is of {} operations, '{}' has {} tasks: it may be of another program, or of another range",
                              rerun_, rerun.operations.size(), selections.front().scenario.name, tasks)));
    return rerun;
  }

  static bool launches_graphs(const RerunFile& rerun) {
    return std::ranges::any_of(rerun.operations, [](const Json& one) { return one.at("kind") == "graph"; });
  }

  bool given(const char* option) const { return app_.get_option(option)->count() > 0; }

  bool gates() const { return !baseline_.empty() || !gate_.worse_than.empty(); }

  void check_gate() {
    if (given("--fail-above") && !gates()) throw InputError("--fail-above: needs --baseline or --fail-if-worse-than");
    if (!baseline_.empty()) gate_.baselines = read_baseline(baseline_);
  }

  void hold_to_gate(const scenarios::Scenario& scenario, const DesignComparison& result, Json& json) {
    for (const std::string& sentence : gate_.unmatched(scenario, result)) remark(wrap(sentence, kPageColumns - 6));
    GateOutcome outcome = gate_.check(scenario, result);
    json["gate"] = verify::to_json(outcome);
    json["gate"]["baseline"] = baseline_.empty() ? Json(nullptr) : Json(baseline_);
    json["gate"]["fail_above"] = gate_.fail_above;
    json["too_slow"] = Json::array();
    for (const Regression& regression : outcome.too_slow) json["too_slow"].push_back(verify::to_json(regression));
    outcome_.add(std::move(outcome));
  }

  /// What reproduces the results, but for --report and what goes with it.
  std::vector<std::string> command_words() const {
    std::vector<std::string> words{"tasktwin", "compare"};
    words.insert(words.end(), scenarios_.begin(), scenarios_.end());
    const auto add = [&words](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
    if (!designs_.empty()) add("--designs", designs_);
    if (given("--seed")) add("--seed", std::to_string(seed_));
    if (given("--runs")) add("--runs", std::to_string(runs_));
    if (!rerun_.empty()) add("--rerun", rerun_);
    for (const std::string& word : what_if_.words()) words.push_back(word);
    return words;
  }

  DesignComparison compare(const Selection& selection, Progress& progress) const {
    progress.expect(selection.designs.size() * runs_);
    DesignComparison result = compare_designs(selection.scenario, selection.designs,
                                              {.seed = given("--seed") ? seed_ : selection.scenario.seed,
                                               .runs = runs_,
                                               .keep_series = gantt_ || report_.wanted(),
                                               .causes = json_ || gates(),
                                               .jobs = static_cast<std::size_t>(jobs_)},
                                              progress);
    progress.clear();
    progress.expect(0);  // a review that follows counts for itself
    return result;
  }

  static std::string drawings(const scenarios::Scenario& scenario, const DesignComparison& result) {
    std::string text;
    for (const RunSeries& series : result.series) {
      text += "\n" + wrap(fmt::format("{} under {}", scenario.name, series.first.design.name)) + "\n" +
              gantt(scenario.graph, series.first.timeline);
    }
    return text;
  }

  std::string to_table(const scenarios::Scenario& scenario, const DesignComparison& result) const {
    TextTable table({"design", result.varies() ? "mean" : "makespan", "to best", "over bound", "cores busy", "dispatchers", "overhead"});
    TextTable spread = distribution_table();
    for (const Standing& standing : result.standings) {
      table.add_row({standing.design.name, format_us(standing.mean()), fmt::format("{:.3f} ×", result.ratio(standing)),
                     over_bound_text(standing.assessment.over_bound, standing.assessment.bounds),
                     format_percent(standing.assessment.metrics.core_busy_share),
                     standing.has_dispatchers ? format_percent(standing.assessment.metrics.dispatcher_busy_share) : "none",
                     format_percent(standing.assessment.metrics.overhead_share)});
      add_distribution(spread, standing.design.name, distribution(standing.makespans));
    }
    std::string text = wrap(fmt::format("{}: {} tasks on {}, simulated, seed {}", coloured(scenario.name, Tone::kStrong),
                                        format_count(static_cast<std::int64_t>(scenario.graph.size())),
                                        scenarios::machine_title(scenario.machine), result.seed)) +
                       '\n';
    if (result.varies())
      text +=
          wrap(fmt::format("mean, to best: of {} runs; over bound and all behind it: of the first, seed {}", runs_, result.seed)) + '\n';
    text += table.to_string();
    if (result.varies()) {
      text += fmt::format("\nmakespans of {} runs, seeds {} to {}\n{}\n", runs_, result.seed, result.seed + runs_ - 1, spread.to_string());
      for (const PairVerdict& verdict : result.verdicts) text += wrap(verify::to_text(verdict, true)) + '\n';
    }
    return result.interrupted ? text : text + standing_text(result);
  }

  std::string standing_text(const DesignComparison& result) const {
    if (result.standings.size() == 1) return what_if_.words().empty() ? "winner: none; there is no other design to compare with\n" : "";
    std::string text = result.winner != nullptr ? fmt::format("winner: {}\n", coloured(result.winner->design.name, Tone::kGood))
                                                : fmt::format("winner: not separated; {} has the lowest {}\n", result.best->design.name,
                                                              result.varies() ? "mean, not beyond noise" : "makespan, as have others");
    if (runs_ > 1 && !result.varies()) text += equal_runs_text(runs_) + '\n';
    if (runs_ == 1 && !result.random.empty())
      text +=
          wrap(fmt::format("one run; the seed draws {}: --runs N tells a difference from noise", fmt::join(result.random, ", "))) + '\n';
    return text;
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  std::string designs_;
  std::string machine_;
  std::uint64_t seed_ = 0;
  std::uint64_t runs_ = 1;
  std::uint64_t jobs_ = 1;
  bool json_ = false;
  bool gantt_ = false;
  std::string baseline_;
  std::string rerun_;
  Gate gate_;
  GateOutcome outcome_;
  ReportOptions report_;
  WhatIfOptions what_if_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app) { return std::make_unique<CompareCommand>(app); }

}  // namespace tasktwin::verify
