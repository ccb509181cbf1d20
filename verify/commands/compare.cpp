#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/commands.hpp"
#include "verify/commands/options.hpp"
#include "verify/output/gantt.hpp"
#include "verify/output/json.hpp"
#include "verify/output/text_table.hpp"
#include "verify/prediction.hpp"

namespace tasktwin::verify {

namespace {

/// A design's standing, without its timeline.
struct Standing {
  Design design;
  Metrics metrics;
  Bounds bounds;
  double over_bound = 0;
  bool has_dispatchers = false;
};

class CompareCommand : public Command {
 public:
  explicit CompareCommand(CLI::App& app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    add_format(app, json_);
    app.add_flag("--gantt", gantt_, "draw each timeline in characters");
  }

  int run() override {
    Progress progress;
    Json results = Json::array();
    for (const Selection& selection : load_selections(scenarios_, designs_, progress)) results.push_back(compare(selection, progress));
    if (json_) print(to_text(results.size() == 1 ? results.front() : results));
    return 0;
  }

 private:
  Json compare(const Selection& selection, Progress& progress) const {
    const scenarios::Scenario& scenario = selection.scenario;
    std::vector<Standing> standings;
    std::string drawings;
    for (const Design& design : selection.designs) {
      progress.show(fmt::format("simulating {} under {}", scenario.name, design.name));
      const Prediction prediction = predict(scenario, design, scenario.seed);
      standings.push_back(
          {design, prediction.metrics, prediction.bounds, prediction.over_bound(), !prediction.timeline.dispatchers.empty()});
      if (gantt_) drawings += fmt::format("\n{} under {}\n{}", scenario.name, design.name, gantt(scenario.graph, prediction.timeline));
    }
    progress.clear();
    const auto best = std::ranges::min_element(standings, {}, [](const Standing& standing) { return standing.metrics.makespan; });
    if (!json_) print(to_table(scenario, standings, *best) + drawings + '\n');
    return to_json(scenario, standings, *best);
  }

  static double ratio(const Standing& standing, const Standing& best) {
    const auto least = static_cast<double>(to_ns(best.metrics.makespan));
    return least > 0 ? static_cast<double>(to_ns(standing.metrics.makespan)) / least : 1;
  }

  static Json to_json(const scenarios::Scenario& scenario, const std::vector<Standing>& standings, const Standing& best) {
    Json result;
    add_provenance(result, scenario, scenario.seed);
    result["winner"] = best.design.name;
    result["designs"] = Json::array();
    for (const Standing& standing : standings) {
      result["designs"].push_back({{"design", standing.design.name},
                                   {"makespan_ns", to_ns(standing.metrics.makespan)},
                                   {"ratio_to_best", ratio(standing, best)},
                                   {"highest_bound_ns", to_ns(standing.bounds.highest())},
                                   {"ratio_to_bound", standing.over_bound},
                                   {"core_busy_share", standing.metrics.core_busy_share},
                                   {"dispatcher_busy_share", standing.metrics.dispatcher_busy_share},
                                   {"overhead_share", standing.metrics.overhead_share},
                                   {"resolved_design", design_to_json(standing.design)}});
    }
    return result;
  }

  static std::string to_table(const scenarios::Scenario& scenario, const std::vector<Standing>& standings, const Standing& best) {
    TextTable table({"design", "makespan", "to best", "over bound", "cores busy", "dispatchers busy", "overhead"});
    for (const Standing& standing : standings) {
      table.add_row({standing.design.name, format_us(standing.metrics.makespan), fmt::format("{:.3f} ×", ratio(standing, best)),
                     fmt::format("{:.3f} ×", standing.over_bound), format_percent(standing.metrics.core_busy_share),
                     standing.has_dispatchers ? format_percent(standing.metrics.dispatcher_busy_share) : "none",
                     format_percent(standing.metrics.overhead_share)});
    }
    return fmt::format("{}: {} tasks on {}, simulated, seed {}\n{}winner: {}\n", coloured(scenario.name, Tone::kStrong),
                       format_count(static_cast<std::int64_t>(scenario.graph.size())), scenario.machine.name, scenario.seed,
                       table.to_string(), coloured(best.design.name, Tone::kGood));
  }

  std::vector<std::string> scenarios_;
  std::string designs_;
  bool json_ = false;
  bool gantt_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app) { return std::make_unique<CompareCommand>(app); }

}  // namespace tasktwin::verify
