#include "verify/bench/metg/saturation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/generators/task_bench.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::int64_t kMostTasks = 100'000;
constexpr std::int64_t kFewestTasks = 20'000;
constexpr std::int64_t kLeastRunNs = 2'000'000;

/// Enough tasks for 2 ms where all the time goes into bodies, within bounds.
TaskGraph independent_tasks(Duration length, int workers) {
  const std::int64_t wanted = kLeastRunNs / to_ns(length) * workers;
  scenarios::TaskBenchParameters parameters{
      .pattern = scenarios::Pattern::kTrivial, .width = std::clamp(wanted, kFewestTasks, kMostTasks), .steps = 1, .body = {}};
  parameters.body.cost.time = length;
  return scenarios::make_task_bench(parameters, 1);
}

/// A microsecond.
double rate(const TaskGraph& graph, Duration makespan) {
  return static_cast<double>(graph.size()) / static_cast<double>(to_ns(makespan)) * 1000;
}

void keep_once(std::vector<std::string>& lines, const Design& design, std::string_view why) {
  std::string text = fmt::format("dispatchers {}, mailbox_depth {}: {}", design.dispatchers, design.mailbox_depth, why);
  if (std::ranges::find(lines, text) == lines.end()) lines.push_back(std::move(text));
}

std::optional<double> measured_rate(const TaskGraph& graph, const Machine& machine, const Design& design, const BenchBackend& backend,
                                    SaturationResult& result) {
  const gpu::RunOptions options{.repeats = kBenchRepeats, .order_checks = 0, .stamps = false, .check_results = false};
  try {
    check_design(design, machine);
    if (const auto why = backend.why_unsupported(graph, machine, design)) throw InputError(*why);
    return rate(graph, median_duration(backend.run(graph, machine, design, options).makespans));
  } catch (const InputError& wrong) {
    keep_once(result.refusals, design, wrong.what());
  } catch (const RunError& error) {
    keep_once(result.faults, design, error.what());
  }
  return std::nullopt;
}

}  // namespace

SaturationPlan saturation_plan(const Machine& machine) {
  SaturationPlan plan;
  for (const int dispatchers : {1, 2, 4, 8}) {
    if (dispatchers <= machine.control_cores.count) plan.dispatchers.push_back(dispatchers);
  }
  for (const int ns : {100, 200, 500, 1000, 2000, 5000, 10'000, 20'000}) plan.lengths.emplace_back(ns);
  return plan;
}

SaturationResult measure_saturation(const SaturationPlan& plan, const Machine& machine, const BenchBackend& backend) {
  if (plan.dispatchers.empty()) throw InputError("machine '" + machine.name + "' has no control cores for a dispatcher");
  const auto executors = bench_executors();
  const auto central = std::ranges::find(executors, "central-dispatcher", [](const BenchExecutor& one) { return one.base.name; });
  SaturationResult result;
  result.design = bench_design(*central, 0, true);
  result.workers = static_cast<int>(worker_cores(result.design, machine).size());
  result.design.dispatchers = plan.dispatchers.front();
  result.design.mailbox_depth = plan.depths.front();
  for (const Duration length : plan.lengths) {
    const TaskGraph graph = independent_tasks(length, result.workers);
    for (const int dispatchers : plan.dispatchers) {
      for (const int depth : plan.depths) {
        plan.progress(fmt::format("running tasks of {} ns through {} dispatchers, mailbox depth {}", to_ns(length), dispatchers, depth));
        Design design = result.design;
        design.dispatchers = dispatchers;
        design.mailbox_depth = depth;
        const auto measured = measured_rate(graph, machine, design, backend, result);
        const auto predicted = predicted_makespan(graph, machine, design);
        result.points.push_back({dispatchers, depth, length, measured, predicted ? std::optional(rate(graph, *predicted)) : std::nullopt});
      }
    }
  }
  std::ranges::stable_sort(result.points, {},
                           [](const SaturationPoint& point) { return std::pair(point.dispatchers, point.mailbox_depth); });
  return result;
}

}  // namespace tasktwin::verify
