#include <limits>
#include <optional>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/commands.hpp"
#include "verify/commands/case_outputs.hpp"
#include "verify/commands/options.hpp"
#include "verify/output/gantt.hpp"
#include "verify/output/text_table.hpp"

namespace tasktwin::verify {

namespace {

Json prediction_to_json(const Prediction& prediction, std::size_t tasks) {
  const Metrics& metrics = prediction.metrics;
  return {{"design", prediction.design.name},
          {"makespan_ns", to_ns(metrics.makespan)},
          {"tasks", tasks},
          {"core_busy_share", metrics.core_busy_share},
          {"dispatcher_busy_share", metrics.dispatcher_busy_share},
          {"bounds",
           {{"critical_path_ns", to_ns(prediction.bounds.critical_path)},
            {"area_ns", to_ns(prediction.bounds.area)},
            {"memory_ns", to_ns(prediction.bounds.memory)}}},
          {"tasks_per_second", prediction.tasks_per_second},
          {"load_imbalance", metrics.load_imbalance},
          {"overhead_share", metrics.overhead_share},
          {"mean_queue_length", metrics.mean_queue_length},
          {"max_queue_length", metrics.max_queue_length},
          {"resolved_design", design_to_json(prediction.design)}};
}

class SimulateCommand : public Command {
 public:
  explicit SimulateCommand(CLI::App& app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    add_whole(app, "--seed", seed_, 0, std::numeric_limits<std::uint64_t>::max(),
              "seed of random task times and orders, in place of the scenario's; its graph stays the same");
    add_format(app, json_);
    outputs_.add_timeline(app);
    outputs_.add_trace(app);
    app.add_flag("--gantt", gantt_, "draw each timeline in characters");
    seed_option_ = app.get_option("--seed");
  }

  int run() override {
    Progress progress;
    const std::vector<Selection> selections = load_selections(scenarios_, designs_, progress);
    outputs_.plan(selections);
    Json results = Json::array();
    for (const Selection& selection : selections) results.push_back(simulate(selection, progress));
    if (json_) {
      print(to_text(results.size() == 1 ? results.front() : results));
    } else {
      print(outputs_.written());
    }
    return 0;
  }

 private:
  Json simulate(const Selection& selection, Progress& progress) {
    const scenarios::Scenario& scenario = selection.scenario;
    const std::uint64_t seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    Json result;
    add_provenance(result, scenario, seed);
    result["designs"] = Json::array();
    TextTable table({"design", "makespan", "over bound", "cores busy", "dispatchers busy", "overhead", "imbalance"});
    std::string drawings;
    for (const Design& design : selection.designs) {
      progress.show(fmt::format("simulating {} under {}", scenario.name, design.name));
      const Prediction prediction = predict(scenario, design, seed);
      const Metrics& metrics = prediction.metrics;
      Json one = prediction_to_json(prediction, scenario.graph.size());
      const TraceRun traced{"predicted", &prediction.timeline, design.driver};
      outputs_.write(one, scenario, design, seed, {&traced, 1});
      result["designs"].push_back(std::move(one));
      table.add_row({design.name, format_us(metrics.makespan), fmt::format("{:.3f} ×", prediction.over_bound()),
                     format_percent(metrics.core_busy_share),
                     prediction.timeline.dispatchers.empty() ? "none" : format_percent(metrics.dispatcher_busy_share),
                     format_percent(metrics.overhead_share), format_percent(metrics.load_imbalance)});
      if (gantt_) drawings += fmt::format("\n{} under {}\n{}", scenario.name, design.name, gantt(scenario.graph, prediction.timeline));
    }
    progress.clear();
    if (!json_) {
      print(fmt::format("{}: {} tasks, {} edges on {}, seed {}\n", coloured(scenario.name, Tone::kStrong),
                        format_count(static_cast<std::int64_t>(scenario.graph.size())),
                        format_count(static_cast<std::int64_t>(scenario.graph.edge_count())), scenario.machine.name, seed));
      print(table.to_string() + drawings + '\n');
    }
    return result;
  }

  std::vector<std::string> scenarios_;
  std::string designs_;
  std::uint64_t seed_ = 0;
  CLI::Option* seed_option_ = nullptr;
  bool json_ = false;
  bool gantt_ = false;
  CaseOutputs outputs_;
};

}  // namespace

std::unique_ptr<Command> make_simulate_command(CLI::App& app) { return std::make_unique<SimulateCommand>(app); }

}  // namespace tasktwin::verify
