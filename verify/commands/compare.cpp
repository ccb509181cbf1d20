#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/error.hpp"
#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/commands/runs.hpp"
#include "verify/output/bounds_output.hpp"
#include "verify/output/gantt.hpp"
#include "verify/report/design_review.hpp"
#include "verify/standings.hpp"

namespace tasktwin::verify {

namespace {

/// What came out for one scenario.
struct Result : CompareOutcome {
  const Standing* best = nullptr;    ///< by the mean; of equal ones the first
  const Standing* winner = nullptr;  ///< nullptr where designs are not separated
  std::string drawings;

  double ratio(const Standing& standing) const { return best->mean() > 0 ? standing.mean() / best->mean() : 1; }
  bool varies() const {
    return std::ranges::any_of(standings, [](const Standing& standing) { return standing.makespans.size() > 1; });
  }
};

/// `word` as a shell takes it back.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/,:=@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

class CompareCommand : public Command {
 public:
  explicit CompareCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    add_seed(app, seed_);
    add_runs(app, runs_);
    add_format(app, json_);
    app.add_flag("--gantt", gantt_, "draw each timeline in characters, dispatchers and compute cores");
    add_report(app);
    app.footer(
        "Predicts each scenario under several designs and says which is faster. With --report all that is known of them goes into one\n"
        "page for a design review: verdict, timelines beside those measured, critical path, idle time, sensitivity.\n"
        "\n"
        "With --runs, designs are compared run by run, each with the same seeds, by a paired t test: the 95 % confidence\n"
        "interval of the mean difference. A winner is named only if it beats every other design beyond noise.\n"
        "Exit 1: a run came to a standstill, or the report cannot be written\n"
        "Example: tasktwin compare example --runs 30\n"
        "Example: tasktwin compare cholesky --designs static-queues,central-dispatcher --report review.html");
  }

  int run() override {
    check_usage();
    Progress progress;
    Json results = Json::array();
    const std::vector<Selection> selections = load_selections(scenarios_, designs_, progress);
    std::optional<DesignReview> review;
    if (!report_.empty()) review.emplace(review_options(), selections);
    for (const Selection& selection : selections) {
      const Result result = compare(selection, progress);
      results.push_back(to_json(selection.scenario, result));
      if (!json_) print(to_table(selection.scenario, result) + result.drawings + '\n');
      if (review) review->add(selection, result, progress);
    }
    if (review) review->write();
    if (json_) print(to_text(results.size() == 1 ? results.front() : results));
    if (review && !json_ && !quiet()) print(fmt::format("wrote {}\n", report_));
    return 0;
  }

 private:
  /// --report and what goes with it, in a group of its own in the help.
  void add_report(CLI::App& app) {
    const char* const group = "Design review";
    const auto not_empty = [](const char* what) {
      return [what](const std::string& text) { return text.empty() ? fmt::format("names no {}", what) : std::string(); };
    };
    app.add_option("--report", report_, "write the design review as one HTML file, which needs no network")
        ->type_name("FILE")
        ->check(not_empty("file"))
        ->group(group);
    app.add_option("--measured", measured_, "show measurements kept in DIR, as 'run --record DIR' does; the shipped ones by default")
        ->type_name("DIR")
        ->check(not_empty("folder"))
        ->group(group);
    CLI::Option* with = app.add_flag("--sensitivity", sensitivity_,
                                     "halve each constant of the machine, one at a time, and show what that changes; by "
                                     "default for graphs of at most 20 000 tasks")
                            ->group(group);
    app.add_flag("--no-sensitivity", no_sensitivity_, "do not")->excludes(with)->group(group);
  }

  bool given(const char* option) const { return app_.get_option(option)->count() > 0; }

  /// Throws InputError for options that do not go together.
  void check_usage() const {
    for (const char* option : {"--measured", "--sensitivity", "--no-sensitivity"}) {
      if (report_.empty() && given(option)) throw InputError(fmt::format("{} requires --report; see 'tasktwin compare --help'", option));
    }
    std::error_code ignored;
    if (!measured_.empty() && !std::filesystem::is_directory(measured_, ignored))
      throw InputError(fmt::format("--measured: there is no folder '{}'", measured_));
  }

  ReviewOptions review_options() const {
    std::string command = "tasktwin compare";
    for (const std::string& scenario : scenarios_) command += ' ' + shell_word(scenario);
    const auto add = [&command](const char* option, const std::string& value) {
      command += fmt::format(" {} {}", option, shell_word(value));
    };
    if (!designs_.empty()) add("--designs", designs_);
    if (given("--seed")) add("--seed", std::to_string(seed_));
    if (given("--runs")) add("--runs", std::to_string(runs_));
    if (!measured_.empty()) add("--measured", measured_);
    for (const char* flag : {"--sensitivity", "--no-sensitivity"}) {
      if (given(flag)) command += fmt::format(" {}", flag);
    }
    add("--report", std::filesystem::path(report_).filename().string());
    return {.file = report_,
            .recordings = measured_.empty() ? recordings_folder() : std::filesystem::path(measured_),
            .sensitivity = sensitivity_      ? std::optional(true)
                           : no_sensitivity_ ? std::optional(false)
                                             : std::nullopt,
            .command = command};
  }

  Result compare(const Selection& selection, Progress& progress) const {
    const scenarios::Scenario& scenario = selection.scenario;
    Result result;
    result.seed = given("--seed") ? seed_ : scenario.seed;
    result.runs = runs_;
    for (const Design& design : selection.designs) {
      RunSeries series = predict_runs(scenario, design, result.seed, runs_, progress, gantt_ || !report_.empty());
      const Prediction& first = series.first;
      result.standings.push_back(
          {design, first.metrics, first.bounds, first.over_bound(), !first.timeline.dispatchers.empty(), series.makespans});
      for (const std::string& part : random_parts(scenario.graph, scenario.machine, design)) {
        if (std::ranges::find(result.random, part) == result.random.end()) result.random.push_back(part);
      }
      if (gantt_)
        result.drawings +=
            "\n" + wrap(fmt::format("{} under {}", scenario.name, design.name)) + "\n" + gantt(scenario.graph, first.timeline);
      if (!report_.empty()) result.series.push_back(std::move(series));
    }
    progress.clear();
    result.verdicts = judge_pairs(result.standings);
    result.best = &*std::ranges::min_element(result.standings, {}, &Standing::mean);
    result.winner = winner(result.standings, result.verdicts);
    return result;
  }

  Json to_json(const scenarios::Scenario& scenario, const Result& result) const {
    Json object;
    add_provenance(object, scenario, result.seed);
    object["winner"] = result.winner != nullptr ? Json(result.winner->design.name) : Json(nullptr);
    object["best"] = result.best->design.name;
    object["runs"] = runs_;
    object["random"] = result.random;
    object["designs"] = Json::array();
    for (const Standing& standing : result.standings) {
      const Distribution makespans = distribution(standing.makespans);
      object["designs"].push_back({{"design", standing.design.name},
                                   {"makespan_ns", to_ns(standing.metrics.makespan)},
                                   {"mean_ns", makespans.mean},
                                   {"sigma_ns", makespans.sigma},
                                   {"ratio_to_best", result.ratio(standing)},
                                   {"highest_bound_ns", to_ns(standing.bounds.highest())},
                                   {"highest_bound", highest_bound_name(standing.bounds)},
                                   {"ratio_to_bound", standing.over_bound},
                                   {"core_busy_share", standing.metrics.core_busy_share},
                                   {"dispatcher_busy_share", standing.metrics.dispatcher_busy_share},
                                   {"overhead_share", standing.metrics.overhead_share},
                                   {"resolved_design", design_to_json(standing.design)}});
    }
    object["pairs"] = Json::array();
    for (const PairVerdict& verdict : result.verdicts) object["pairs"].push_back(verify::to_json(verdict));
    return object;
  }

  std::string to_table(const scenarios::Scenario& scenario, const Result& result) const {
    TextTable table({"design", result.varies() ? "mean" : "makespan", "to best", "over bound", "cores busy", "dispatchers", "overhead"});
    TextTable spread = distribution_table();
    for (const Standing& standing : result.standings) {
      table.add_row({standing.design.name, format_us(standing.mean()), fmt::format("{:.3f} ×", result.ratio(standing)),
                     over_bound_text(standing.over_bound, standing.bounds), format_percent(standing.metrics.core_busy_share),
                     standing.has_dispatchers ? format_percent(standing.metrics.dispatcher_busy_share) : "none",
                     format_percent(standing.metrics.overhead_share)});
      add_distribution(spread, standing.design.name, distribution(standing.makespans));
    }
    std::string text =
        fmt::format("{}: {} tasks on {}, simulated, seed {}\n{}", coloured(scenario.name, Tone::kStrong),
                    format_count(static_cast<std::int64_t>(scenario.graph.size())), scenario.machine.name, result.seed, table.to_string());
    if (result.varies()) {
      text += fmt::format("\nmakespans of {} runs, seeds {} to {}; the other columns above are of the first\n{}\n", runs_, result.seed,
                          result.seed + runs_ - 1, spread.to_string());
      for (const PairVerdict& verdict : result.verdicts) text += wrap(verify::to_text(verdict, true)) + '\n';
    }
    return text + standing_text(result);
  }

  std::string standing_text(const Result& result) const {
    std::string text = result.winner != nullptr ? fmt::format("winner: {}\n", coloured(result.winner->design.name, Tone::kGood))
                                                : fmt::format("winner: not separated; {} has the lowest {}\n", result.best->design.name,
                                                              result.varies() ? "mean, not beyond noise" : "makespan, as have others");
    if (runs_ > 1 && !result.varies()) text += equal_runs_text(runs_) + '\n';
    if (runs_ == 1 && !result.random.empty())
      text += fmt::format("one run; the seed draws {}: --runs N tells a difference from noise\n", fmt::join(result.random, ", "));
    return text;
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  std::string designs_;
  std::uint64_t seed_ = 0;
  std::uint64_t runs_ = 1;
  bool json_ = false;
  bool gantt_ = false;
  std::string report_;
  std::string measured_;
  bool sensitivity_ = false;
  bool no_sensitivity_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app) { return std::make_unique<CompareCommand>(app); }

}  // namespace tasktwin::verify
