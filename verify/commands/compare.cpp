#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/commands/runs.hpp"
#include "verify/output/bounds_output.hpp"
#include "verify/output/gantt.hpp"
#include "verify/standings.hpp"

namespace tasktwin::verify {

namespace {

/// What came out for one scenario.
struct Result {
  std::uint64_t seed = 0;
  std::vector<Standing> standings;
  std::vector<std::string> random;  ///< what the seed decides, under any of the designs
  std::vector<PairVerdict> verdicts;
  const Standing* best = nullptr;    ///< by the mean; of equal ones the first
  const Standing* winner = nullptr;  ///< nullptr where designs are not separated
  std::string drawings;

  double ratio(const Standing& standing) const { return best->mean() > 0 ? standing.mean() / best->mean() : 1; }
  bool varies() const {
    return std::ranges::any_of(standings, [](const Standing& standing) { return standing.makespans.size() > 1; });
  }
};

class CompareCommand : public Command {
 public:
  explicit CompareCommand(CLI::App& app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    seed_option_ = add_seed(app, seed_);
    add_runs(app, runs_);
    add_format(app, json_);
    app.add_flag("--gantt", gantt_, "draw each timeline in characters, dispatchers and compute cores");
    app.footer(
        "With --runs, designs are compared run by run, each with the same seeds, by a paired t test: the 95 % confidence\n"
        "interval of the mean difference. A winner is named only if it beats every other design beyond noise.\n"
        "Example: tasktwin compare example --runs 30");
  }

  int run() override {
    Progress progress;
    Json results = Json::array();
    for (const Selection& selection : load_selections(scenarios_, designs_, progress)) {
      const Result result = compare(selection, progress);
      results.push_back(to_json(selection.scenario, result));
      if (!json_) print(to_table(selection.scenario, result) + result.drawings + '\n');
    }
    if (json_) print(to_text(results.size() == 1 ? results.front() : results));
    return 0;
  }

 private:
  Result compare(const Selection& selection, Progress& progress) const {
    const scenarios::Scenario& scenario = selection.scenario;
    Result result;
    result.seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    for (const Design& design : selection.designs) {
      const RunSeries series = predict_runs(scenario, design, result.seed, runs_, progress, gantt_);
      const Prediction& first = series.first;
      result.standings.push_back(
          {design, first.metrics, first.bounds, first.over_bound(), !first.timeline.dispatchers.empty(), series.makespans});
      for (const std::string& part : random_parts(scenario.graph, scenario.machine, design)) {
        if (std::ranges::find(result.random, part) == result.random.end()) result.random.push_back(part);
      }
      if (gantt_) result.drawings += fmt::format("\n{} under {}\n{}", scenario.name, design.name, gantt(scenario.graph, first.timeline));
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
      for (const PairVerdict& verdict : result.verdicts) text += verify::to_text(verdict, true) + '\n';
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

  std::vector<std::string> scenarios_;
  std::string designs_;
  std::uint64_t seed_ = 0;
  std::uint64_t runs_ = 1;
  CLI::Option* seed_option_ = nullptr;
  bool json_ = false;
  bool gantt_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app) { return std::make_unique<CompareCommand>(app); }

}  // namespace tasktwin::verify
