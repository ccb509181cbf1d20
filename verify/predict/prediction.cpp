#include "verify/predict/prediction.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"
#include "models/base/utf8.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/data_folder.hpp"

#include "sim/simulator.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/pool/in_parallel.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/predict/run_path.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

const Design& find_design(const scenarios::Scenario& scenario, std::string_view name, std::string_view option) {
  std::vector<std::string_view> known;
  for (const auto designs : {std::span<const Design>(scenario.designs), named_designs()}) {
    for (const Design& design : designs) {
      if (design.name == name) return design;
      if (std::ranges::find(known, design.name) == known.end()) known.push_back(design.name);
    }
  }
  throw InputError(fmt::format("{}: unknown design '{}'{}", option, name, suggest(name, known)));
}

sim::Simulation simulated(const scenarios::Scenario& scenario, const Design& design, sim::SimulationOptions options) {
  options.replayed = scenario.replayed(design);
  options.program = scenario.program ? &*scenario.program : nullptr;
  const std::vector<Duration> captured = options.bodies.empty() ? captured_bodies(scenario) : std::vector<Duration>();
  if (!captured.empty()) options.bodies = captured;
  options.host_pace *= scenario.host_pace;
  options.interrupted = interrupt_asked;
  try {
    return sim::simulate(scenario.graph, scenario.machine, design, options);
  } catch (const RunError&) {
    if (interrupt_asked()) throw Interrupted();
    throw;
  } catch (const InternalError& fault) {
    throw in_scenario(scenario, fault);
  }
}

Prediction predict_run(const scenarios::Scenario& scenario, const Design& design, const sim::SimulationOptions& options) {
  constexpr double kShortestRun = 1e-9;  // a clock that has not moved would give an infinite rate
  sim::Simulation simulation = simulated(scenario, design, options);
  Prediction prediction{
      .design = design_of_run(scenario.graph, scenario.machine, design), .timeline = std::move(simulation.timeline), .seed = options.seed};
  prediction.absent_tasks = static_cast<std::size_t>(
      std::ranges::count_if(prediction.timeline.tasks, [](const TaskTimes& times) { return !is_present(times.started); }));
  prediction.tasks_per_second =
      static_cast<double>(scenario.graph.size() - prediction.absent_tasks) / std::max(simulation.wall_seconds, kShortestRun);
  return prediction;
}

/// `options` for the run of the median makespan among kChanceRuns, or for the only one.
sim::SimulationOptions median_run(const scenarios::Scenario& scenario, const Design& design, sim::SimulationOptions options) {
  if (random_parts(scenario.graph, scenario.machine, design).empty()) return options;
  std::array<std::pair<Duration, std::uint64_t>, kChanceRuns> runs;
  for (options.run = 0; options.run < kChanceRuns; ++options.run) {
    runs[options.run] = {simulated(scenario, design, options).timeline.makespan(), options.run};
  }
  const auto middle = runs.begin() + kChanceRuns / 2;
  std::ranges::nth_element(runs, middle);
  options.run = middle->second;
  return options;
}

/// A task is ready once what it needs has ended, whatever a plan has it wait for.
Metrics measure_needs(const TaskGraph& needed, Timeline timeline) {
  for (TaskTimes& task : timeline.tasks) task.ready = kAbsent;
  return measure(needed, timeline);
}

}  // namespace

Assessment assess(const scenarios::Scenario& scenario, const Prediction& prediction) {
  Assessment assessment{
      .metrics = scenario.needed ? measure_needs(*scenario.needed, prediction.timeline) : measure(scenario.graph, prediction.timeline),
      .bounds = bounds_of(scenario, prediction.design, prediction.seed, prediction.timeline.makespan())};
  path_of(scenario, prediction.design, prediction.timeline, prediction.seed);  // whose causes are held against the makespan
  const auto bound = static_cast<double>(to_ns(assessment.bounds.highest()));
  if (bound > 0) assessment.over_bound = static_cast<double>(to_ns(assessment.metrics.makespan)) / bound;
  return assessment;
}

std::optional<Duration> Prediction::window() const {
  if (!is_present(timeline.seen)) return std::nullopt;
  std::optional<TimePoint> first;
  for (const TaskTimes& times : timeline.tasks) {
    if (is_present(times.dispatched) && (!first || times.dispatched < *first)) first = times.dispatched;
  }
  return first ? std::optional(timeline.seen - *first) : std::nullopt;
}

Prediction predict(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, bool record_steps,
                   sim::BandwidthSolver solver) {
  return predict_run(scenario, design, {.seed = seed, .record_steps = record_steps, .bandwidth_solver = solver});
}

Prediction predict_median(const scenarios::Scenario& scenario, const Design& design, double host_pace) {
  return predict_run(scenario, design, median_run(scenario, design, {.seed = scenario.seed, .host_pace = host_pace}));
}

Duration predict_median_with_bodies(const scenarios::Scenario& scenario, const Design& design, std::span<const Duration> bodies,
                                    double host_pace) {
  return simulated(scenario, design, median_run(scenario, design, {.seed = scenario.seed, .host_pace = host_pace, .bodies = bodies}))
      .timeline.makespan();
}

Duration predict_makespan(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, sim::BandwidthSolver solver) {
  return simulated(scenario, design, {.seed = seed, .bandwidth_solver = solver}).timeline.makespan();
}

RunSeries predict_runs(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::uint64_t runs,
                       Progress& progress, bool record_steps, sim::BandwidthSolver solver, std::size_t jobs) {
  const auto show = [&] { progress.show(fmt::format("simulating {} under {}", scenario.name, design.name)); };
  const std::uint64_t wanted = runs;
  show();
  RunSeries series{predict(scenario, design, seed, record_steps, solver), {}};
  series.makespans.push_back(static_cast<double>(to_ns(series.first.timeline.makespan())));
  if (random_parts(scenario.graph, scenario.machine, design).empty()) runs = 1;
  const auto makespan = [&](std::size_t i) { return Json(to_ns(predict_makespan(scenario, design, seed + 1 + i, solver))); };
  in_parallel(jobs, static_cast<std::size_t>(runs - 1), makespan, [&](std::size_t, const Json& ns) {
    progress.advance();
    show();
    series.makespans.push_back(ns.get<double>());
  });
  progress.advance(wanted - runs + 1);
  return series;
}

std::size_t run_count(std::span<const Selection> selections, std::uint64_t runs) {
  std::size_t count = 0;
  for (const Selection& selection : selections) count += selection.designs.size() * runs;
  return count;
}

std::vector<Design> select_designs(const scenarios::Scenario& scenario, const std::string& names, std::string_view option) {
  std::vector<Design> designs;
  if (names.empty()) {
    designs = scenario.designs;
  } else {
    for (const std::string& name : design_names(names)) {
      const Design& design = find_design(scenario, name, option);
      if (std::ranges::find(designs, design.name, &Design::name) != designs.end()) {
        throw InputError(fmt::format("{}: '{}' is named twice", option, design.name));
      }
      designs.push_back(design);
    }
  }
  if (designs.empty()) throw InputError(fmt::format("scenario '{}' has no designs of its own; choose some with --designs", scenario.name));
  for (const Design& design : designs) check_design(design, scenario.machine);
  return designs;
}

/// The scenario with all of its designs; where these are refused, with those that are chosen alone, and a note.
scenarios::Scenario load_chosen(const std::string& path_or_name, const scenarios::Admission& admits, std::span<const std::string> designs) {
  try {
    return scenarios::load_scenario(path_or_name, {}, {}, admits);
  } catch (const InputError& whole) {
    if (designs.empty()) throw;
    const std::exception_ptr refused = std::current_exception();
    try {
      scenarios::Scenario chosen = scenarios::load_scenario_under(path_or_name, designs, {}, admits);
      const std::string all = whole.what();
      remark(wrap(fmt::format("designs that are not chosen are refused: {}", all.substr(0, all.find('\n'))), text_columns() - 6));
      return chosen;
    } catch (const InputError&) {
      std::rethrow_exception(refused);
    }
  }
}

scenarios::Scenario load_on(const std::string& path_or_name, const std::string& machine, const scenarios::Admission& admits,
                            std::span<const std::string> designs) {
  if (machine.empty()) return load_chosen(path_or_name, admits, designs);
  // A path is meant from here, not from the scenario's folder. What JSON quotes is a word of YAML.
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(machine, ignored);
  const std::string place = is_file ? std::filesystem::absolute(machine).string() : machine;
  if (well_formed(place) != place) throw InputError(fmt::format("--machine {}: its name is no UTF-8", place));
  if (!scenarios::find_machine(place, {}).exists) throw InputError("--machine: " + scenarios::why_no_machine(place));
  const std::vector<std::string> overrides{"machine.from=" + Json(place).dump()};
  return scenarios::load_scenario_under(path_or_name, designs, overrides, admits);
}

std::vector<Selection> load_selections(const std::vector<std::string>& arguments, const std::string& designs, const std::string& machine,
                                       Progress& progress, const scenarios::Admission& admits) {
  const std::vector<std::string> wanted = design_names(designs);
  const scenarios::Admission admits_wanted = [&](const scenarios::Scenario& scenario, const Design& design) {
    if (admits && (wanted.empty() || std::ranges::find(wanted, design.name) != wanted.end())) admits(scenario, design);
  };
  std::vector<Selection> selections;
  for (const std::string& argument : arguments) {
    progress.show(fmt::format("reading {}", argument));
    const bool is_file = scenarios::find_scenario(argument).exists;
    for (const Selection& before : selections) {
      if (!is_file && std::ranges::count(before.scenario.designs, argument, &Design::name) > 0)
        throw InputError(fmt::format("{}: is a design of {}; --designs takes designs", argument, before.argument));
    }
    Selection selection{argument, load_on(argument, machine, admits_wanted, wanted), {}};
    if (!machine.empty() && selection.scenario.program)
      selection.scenario.remarks.push_back(
          fmt::format("kernels, copies and the host take as long as they were captured; of {} are what launching, waiting and room cost",
                      selection.scenario.machine.name));
    selection.designs = select_designs(selection.scenario, designs);
    selections.push_back(std::move(selection));
  }
  progress.clear();
  return selections;
}

}  // namespace tasktwin::verify
