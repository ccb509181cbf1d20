#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/program/program_end.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "verify/cli/case_outputs.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/cli/what_if_options.hpp"
#include "verify/explain/hypothetical.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/output/timelines/gantt.hpp"
#include "verify/plan/drawn_makespans.hpp"
#include "verify/plan/planned_selection.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/policy_library.hpp"
#include "verify/predict/remarks.hpp"

namespace tasktwin::verify {

namespace {

Json optional_ns(std::optional<Duration> time) { return time ? Json(to_ns(*time)) : Json(nullptr); }

Json prediction_to_json(const Prediction& prediction, const Assessment& assessment, std::size_t tasks) {
  const Metrics& metrics = assessment.metrics;
  const TimePoint stopped = prediction.timeline.stopped;
  const MemorySample peak = prediction.timeline.peak_memory();
  return {{"design", prediction.design.name},
          {"makespan_ns", to_ns(metrics.makespan)},
          {"window_ns", optional_ns(prediction.window())},
          {"stopped_ns", is_present(stopped) ? Json(to_ns(stopped)) : Json(nullptr)},
          {"tasks", tasks},
          {"absent_tasks", prediction.absent_tasks},
          {"core_busy_share", metrics.core_busy_share},
          {"dispatcher_busy_share", metrics.dispatcher_busy_share},
          {"bounds", bounds_to_json(assessment.bounds)},
          {"ratio_to_bound", assessment.over_bound},
          {"load_imbalance", metrics.load_imbalance},
          {"overhead_share", metrics.overhead_share},
          {"mean_queue_length", metrics.mean_queue_length},
          {"max_queue_length", metrics.max_queue_length},
          {"peak_used_bytes", peak.used},
          {"peak_reserved_bytes", peak.reserved},
          {"resolved_design", design_to_json(prediction.design)}};
}

class SimulateCommand : public Command {
 public:
  explicit SimulateCommand(CLI::App& app) : app_(app) {
    add_scenarios(app, scenarios_)->required();
    add_designs(app, designs_);
    add_machine(app, machine_);
    add_policy(app, policy_);
    add_plan(app, plan_);
    seed_option_ = add_seed(app, seed_);
    add_runs(app, runs_);
    app.add_flag("--draws", draws_,
                 "one run for each row of graph.draws, in place of the one that is drawn: mean and percentiles of each design's, or of the "
                 "plan's, makespans");
    app.add_option("--without", without_,
                   "also imagine machines without what these cost, one at a time: of dispatch, polling, hops, host, "
                   "bandwidth and fences, comma-separated, or all")
        ->type_name("ARM,..");
    add_words(app, "--bandwidth-solver", solver_, "who shares memory bandwidth out among bodies; virtual_time by default");
    add_format(app, json_);
    what_if_.add(app);
    outputs_.add_timeline(app);
    outputs_.add_swimlane(app);
    outputs_.add_plan(app);
    outputs_.add_trace(app);
    app.add_flag("--timing", timing_, "say how quickly it was simulated, by wall time, which no two runs have alike");
    app.add_flag("--gantt", gantt_, "draw each timeline in characters, dispatchers and compute cores");
    app.footer(
        "Simulates each scenario under each of its designs and prints a row a design: makespan, distance to the best lower bound, share\n"
        "of time that cores and dispatchers are busy. Times are in µs. The same seed gives the same result, byte for byte.\n"
        "Exit 1: a run came to a standstill, or a file could not be written\n"
        "Example: tasktwin simulate cholesky --designs central-dispatcher,static-queues --gantt\n"
        "Example: tasktwin simulate example --designs cuda-streams --scale 'left*=0.5' --drop store\n"
        "Example: tasktwin simulate example --runs 30 --format json\n"
        "Example: tasktwin simulate example --designs static-queues --plan-out plan.json\n"
        "Example: tasktwin simulate example --designs shared-queue --trace trace.json");
  }

  int run() override {
    if (gantt_ && json_) throw InputError("--gantt excludes --format json: it draws into text");
    Progress progress;
    if (draws_) return simulate_draws(progress);
    if (!without_.empty()) groups_ = cost_groups_named(without_, "--without");
    std::vector<Selection> selections = load_selections(scenarios_, designs_, machine_, progress, check_admission);
    if (!plan_.empty()) {
      if (what_if_.wanted()) throw InputError("--plan: excludes what-ifs, whose tasks are others than the plan's");
      follow_plan(plan_, designs_, selections);
    }
    if (!policy_.empty()) apply_policy(policy_, selections, seed_option_->count() > 0 ? std::optional(seed_) : std::nullopt);
    selections = with_what_if(std::move(selections), what_if_.value());
    outputs_.plan(selections, plan_.empty() ? std::vector<std::filesystem::path>{} : std::vector<std::filesystem::path>{plan_});
    tell_remarks(selections);
    progress.expect(run_count(selections, runs_ + groups_.size()));
    Json results = Json::array();
    const DeferredInterrupt deferred;
    for (const Selection& selection : selections) {
      results.push_back(simulate(selection, progress));
      if (interrupted_) break;
    }
    if (json_) {
      print(result_to_text(results.size() == 1 ? results.front() : results));
    } else {
      print(outputs_.written());
    }
    if (interrupted_) {
      std::size_t done = 0;
      for (const Json& result : results) done += result["designs"].size();
      note(fmt::format("interrupted: {} of {}", done, run_count(selections, 1)));
      throw Interrupted();
    }
    for (const std::string& failure : failures_) note("error: " + failure);
    return failures_.empty() ? 0 : 1;
  }

 private:
  int simulate_draws(Progress& progress) const {
    for (const CLI::Option* const other : app_.get_options()) {
      constexpr std::array<std::string_view, 8> kGoWith{"SCENARIO", "--draws",  "--designs", "--plan",
                                                        "--seed",   "--format", "--quiet",   "--color"};
      if (other->count() > 0 && std::ranges::find(kGoWith, other->get_name()) == kGoWith.end())
        throw InputError("--draws: excludes " + other->get_name());
    }
    if (scenarios_.size() != 1) throw InputError("--draws: is of one scenario, and several are given");
    const auto drawn =
        over_draws(scenarios_.front(), designs_, plan_, seed_option_->count() > 0 ? std::optional(seed_) : std::nullopt, progress);
    const std::size_t draws = drawn.front().makespans.size();
    Json designs = Json::array();
    TextTable table = distribution_table();
    for (const DrawnMakespans& one : drawn) {
      designs.push_back({{"design", one.design}, {"runs", runs_to_json(one.makespans, {})}});
      add_distribution(table, one.design, distribution(one.makespans));
    }
    if (json_) {
      print(result_to_text(Json{{"scenario", scenarios_.front()}, {"draws", draws}, {"designs", std::move(designs)}}));
    } else {
      print(
          fmt::format("{}: simulated, makespans over {} draws\n{}", coloured(scenarios_.front(), Tone::kStrong), draws, table.to_string()));
    }
    return 0;
  }

  Json simulate(const Selection& selection, Progress& progress) {
    const scenarios::Scenario& scenario = selection.scenario;
    const std::uint64_t seed = seed_option_->count() > 0 ? seed_ : scenario.seed;
    Json result;
    add_provenance(result, scenario, seed);
    if (!policy_.empty()) result["policy"] = policy_;
    if (!selection.changes.empty()) result["changes"] = selection.changes;
    if (selection.base) result["baseline"] = base_to_json(*selection.base);
    result["designs"] = Json::array();
    std::vector<std::string> header{"design", "makespan", "over bound", "cores busy", "dispatchers", "overhead", "imbalance"};
    if (scenario.program) header.insert(header.begin() + 2, "program ends");
    TextTable table(header);
    TextTable spread = distribution_table();
    TextTable ablations = ablation_table();
    std::string drawings;
    std::string memory;
    WhatIfOutcome outcome(selection, before_);
    std::string paces;
    bool varies = false;
    std::size_t absent = 0;
    for (const Design& design : selection.designs) {
      RunSeries series;
      try {
        series = predict_runs(scenario, design, seed, runs_, progress, gantt_ || outputs_.wants_steps(), solver_);
      } catch (const Interrupted&) {
        result["interrupted"] = interrupted_ = true;
        break;
      } catch (const RunError& why) {  // the other designs' runs are none the worse for it
        result["designs"].push_back({{"design", design.name}, {"failure", why.what()}});
        failures_.push_back(scenario.name + ": " + why.what());
        continue;
      }
      const Prediction& prediction = series.first;
      const Assessment assessment = assess(scenario, prediction);
      const Metrics& metrics = assessment.metrics;
      absent = prediction.absent_tasks;
      Json one = prediction_to_json(prediction, assessment, scenario.graph.size());
      const std::optional<Duration> program_ends =
          scenario.program ? std::optional(program_end(*scenario.program, scenario.machine, design, prediction.timeline)) : std::nullopt;
      if (program_ends) one["program_ends_ns"] = to_ns(*program_ends);
      if (timing_) one["tasks_per_second"] = prediction.tasks_per_second;
      one["remarks"] = remarks(scenario, design);
      if (runs_ > 1) {
        one["runs"] = runs_to_json(series.makespans, random_parts(scenario.graph, scenario.machine, design));
        add_distribution(spread, design.name, distribution(series.makespans));
        varies |= series.makespans.size() > 1;
      }
      if (!groups_.empty()) one["without"] = imagine(scenario, prediction, seed, ablations, progress);
      const TraceRun traced{"predicted", &prediction.timeline, design.driver, scenario.program ? &*scenario.program : nullptr};
      outputs_.write(one, scenario, design, seed, {&traced, 1});
      result["designs"].push_back(std::move(one));
      outcome.add(design, metrics.makespan);
      if (timing_)
        paces += fmt::format("{}: {} tasks a second simulated\n", design.name, format_count(std::llround(prediction.tasks_per_second)));
      std::vector<std::string> row{design.name,
                                   format_us(metrics.makespan),
                                   over_bound_text(assessment.over_bound, assessment.bounds),
                                   format_percent(metrics.core_busy_share),
                                   prediction.timeline.dispatchers.empty() ? "none" : format_percent(metrics.dispatcher_busy_share),
                                   format_percent(metrics.overhead_share),
                                   format_percent(metrics.load_imbalance)};
      if (program_ends) row.insert(row.begin() + 2, format_us(*program_ends));
      table.add_row(row);
      if (!prediction.timeline.memory.empty()) {
        const MemorySample peak = prediction.timeline.peak_memory();
        memory += wrap(fmt::format("{}: at most {} bytes of device memory in use, {} reserved", design.name, format_count(peak.used),
                                   format_count(peak.reserved))) +
                  '\n';
      }
      if (gantt_)
        drawings += "\n" + wrap(fmt::format("{} under {}", scenario.name, design.name)) + "\n" + gantt(scenario.graph, prediction.timeline);
    }
    progress.clear();
    if (!json_ && !outcome.makespans().empty()) {
      print(wrap(fmt::format("{}: {} tasks, {} edges on {}, seed {}{}", coloured(scenario.name, Tone::kStrong),
                             format_count(static_cast<std::int64_t>(scenario.graph.size())),
                             format_count(static_cast<std::int64_t>(scenario.graph.edge_count())),
                             scenarios::machine_title(scenario.machine), seed, policy_.empty() ? "" : ", in the order of " + policy_)) +
            '\n');
      print(table.to_string());
      print(memory + paces);
      print(what_if_.wanted() ? outcome.text() : outcome.graph_text());
      if (absent > 0)
        print(fmt::format("{} tasks did not come to be: a predicate did not hold\n", format_count(static_cast<std::int64_t>(absent))));
      if (runs_ > 1 && varies)
        print(fmt::format("\nmakespans of {} runs, seeds {} to {}\n{}", runs_, seed, seed + runs_ - 1, spread.to_string()));
      if (runs_ > 1 && !varies) print(fmt::format("\n{}\n", equal_runs_text(runs_)));
      if (!groups_.empty()) print("\nmakespans of machines without what these cost\n" + ablations.to_string());
      print(drawings + '\n');
    }
    before_ = outcome.makespans();
    return result;
  }

  TextTable ablation_table() const {
    std::vector<std::string> header{"design", "makespan"};
    for (const CostGroup group : groups_) header.push_back(fmt::format("without {}", to_word(group)));
    return TextTable(header);
  }

  /// The makespans without each group of costs, which it adds to `table` as well.
  Json imagine(const scenarios::Scenario& scenario, const Prediction& prediction, std::uint64_t seed, TextTable& table,
               Progress& progress) const {
    Json makespans = Json::object();
    std::vector<std::string> row{prediction.design.name, format_us(prediction.timeline.makespan())};
    for (const CostGroup group : groups_) {
      const scenarios::Scenario imagined = without(scenario, group);
      const Duration makespan = predict_makespan(imagined, prediction.design, seed, solver_);
      const double change =
          static_cast<double>(to_ns(makespan)) / static_cast<double>(std::max<std::int64_t>(1, to_ns(prediction.timeline.makespan()))) - 1;
      makespans[fmt::format("{}_ns", to_word(group))] = to_ns(makespan);
      row.push_back(fmt::format("{} ({})", format_us(makespan), format_percent(change, true)));
      progress.advance();
    }
    table.add_row(row);
    return makespans;
  }

  CLI::App& app_;
  std::vector<std::string> scenarios_;
  std::string without_;
  std::vector<CostGroup> groups_;
  std::string designs_;
  std::string machine_;
  std::string policy_;
  std::string plan_;
  std::uint64_t seed_ = 0;
  std::uint64_t runs_ = 1;
  CLI::Option* seed_option_ = nullptr;
  sim::BandwidthSolver solver_ = sim::BandwidthSolver::kVirtualTime;
  bool json_ = false;
  bool gantt_ = false;
  bool draws_ = false;
  bool timing_ = false;
  bool interrupted_ = false;
  std::vector<std::string> failures_;  ///< runs that came to no end
  CaseOutputs outputs_;
  WhatIfOptions what_if_;
  std::vector<DesignMakespan> before_;  ///< of the selection before
};

}  // namespace

std::unique_ptr<Command> make_simulate_command(CLI::App& app) { return std::make_unique<SimulateCommand>(app); }

}  // namespace tasktwin::verify
