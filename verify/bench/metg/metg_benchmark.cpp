#include "verify/bench/metg/metg_benchmark.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/simulator.hpp"
#include "verify/bench/metg/bench_patterns.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kGraphSeed = 1;

/// An executor seated on the machine, with every executor's number of workers.
struct Seat {
  const BenchExecutor* executor;
  Design design;
  Machine machine;
};

/// The graphs of one pattern, which the executors share.
class Graphs {
 public:
  const TaskGraph& get(const scenarios::TaskBenchParameters& parameters) {
    const auto key = std::pair(parameters.body.cost.time, parameters.steps);
    const auto found = graphs_.find(key);
    return found != graphs_.end() ? found->second : graphs_.emplace(key, scenarios::make_task_bench(parameters, kGraphSeed)).first->second;
  }

 private:
  std::map<std::pair<Duration, std::int64_t>, TaskGraph> graphs_;
};

/// Runs one executor on graphs of one kind, each checked for order; of kernels that the host launches, whose order does not hang
/// on their length, the first alone.
class Bench {
 public:
  Bench(const Seat& seat, const BenchBackend& backend, BenchOutcome& outcome) : seat_(seat), backend_(backend), outcome_(outcome) {
    outcome_.executor = seat.design.name;
  }

  /// Whether the executor runs such graphs.
  bool supports(const TaskGraph& graph) {
    try {
      check_design(seat_.design, seat_.machine);
      outcome_.refusal = backend_.why_unsupported(graph, seat_.machine, seat_.design).value_or("");
    } catch (const InputError& wrong) {
      outcome_.refusal = wrong.what();
    }
    return outcome_.refusal.empty();
  }

  double makespan_ns(const TaskGraph& graph) {
    const gpu::RunOptions options{.repeats = kBenchRepeats,
                                  .order_checks = checked_ && seat_.executor->host_launched ? 0 : 1,
                                  .stamps = false,
                                  .check_results = false};
    checked_ = true;
    const gpu::Measurement measurement = backend_.run(graph, seat_.machine, seat_.design, options);
    outcome_.ordering_violations += measurement.ordering_violations;
    return static_cast<double>(to_ns(median_duration(measurement.makespans)));
  }

  std::optional<double> predicted_ns(const TaskGraph& graph) const {
    const auto makespan = predicted_makespan(graph, seat_.machine, seat_.design);
    return makespan ? std::optional(static_cast<double>(to_ns(*makespan))) : std::nullopt;
  }

 private:
  const Seat& seat_;
  const BenchBackend& backend_;
  BenchOutcome& outcome_;
  bool checked_ = false;
};

MetgCell measure_cell(const MetgPlan& plan, const Seat& seat, int workers, std::string_view word, Graphs& graphs,
                      const BenchBackend& backend) {
  MetgCell cell;
  cell.pattern = word;
  Bench bench(seat, backend, cell);
  const auto graph_of = [&](Duration length) -> const TaskGraph& {
    return graphs.get(bench_parameters(*from_word<scenarios::Pattern>(word), length, workers, seat.executor->host_launched));
  };
  if (!bench.supports(graph_of(plan.lengths[plan.lengths.size() / 2]))) return cell;
  std::map<Duration, std::optional<double>> predictions;
  try {
    cell.search = search_metg(plan.lengths, [&](Duration length) {
      plan.progress(fmt::format("running {} under {}, tasks of {} ns", word, seat.design.name, to_ns(length)));
      const TaskGraph& graph = graph_of(length);
      const double per_task = static_cast<double>(workers) / static_cast<double>(graph.size());
      const double granularity = bench.makespan_ns(graph) * per_task;
      const auto predicted = bench.predicted_ns(graph);
      predictions[length] = predicted ? std::optional(*predicted * per_task) : std::nullopt;
      return granularity;
    });
  } catch (const InputError& wrong) {
    cell.refusal = wrong.what();
  } catch (const RunError& error) {
    cell.fault = error.what();
  }
  for (const LengthPoint& point : cell.search.points) cell.predicted_ns.push_back(predictions[point.length]);
  return cell;
}

ChainCell measure_chain(const MetgPlan& plan, const Seat& seat, Graphs& graphs, const BenchBackend& backend) {
  ChainCell cell;
  Bench bench(seat, backend, cell);
  plan.progress(fmt::format("running a chain under {}", seat.design.name));
  const TaskGraph& graph = graphs.get(chain_parameters(seat.executor->host_launched));
  if (!bench.supports(graph)) return cell;
  const auto tasks = static_cast<double>(graph.size());
  try {
    cell.ns_per_task = bench.makespan_ns(graph) / tasks;
    if (const auto predicted = bench.predicted_ns(graph)) cell.predicted_ns = *predicted / tasks;
  } catch (const InputError& wrong) {
    cell.refusal = wrong.what();
  } catch (const RunError& error) {
    cell.fault = error.what();
  }
  return cell;
}

/// Designs of one executor are neighbours.
void keep_design(std::vector<BenchDesign>& designs, const Seat& seat, std::string_view pattern) {
  auto found = std::ranges::find(designs, seat.design, &BenchDesign::design);
  if (found == designs.end()) {
    const auto same = [&](const BenchDesign& one) { return one.design.name == seat.design.name; };
    const auto last = std::find_if(designs.rbegin(), designs.rend(), same);
    const auto after = last == designs.rend() ? designs.end() : last.base();
    found = designs.insert(after, {seat.design, tuned_axes(*seat.executor, seat.design), {}});
  }
  found->patterns.emplace_back(pattern);
}

}  // namespace

BenchBackend gpu_backend() { return {.why_unsupported = gpu::why_unsupported, .run = gpu::run}; }

bool MetgResult::right() const {
  const auto fine = [](const BenchOutcome& outcome) { return outcome.right(); };
  return std::ranges::all_of(cells, fine) && std::ranges::all_of(chains, fine);
}

const MetgCell* MetgResult::find(std::string_view executor, std::string_view pattern) const {
  const auto found =
      std::ranges::find_if(cells, [&](const MetgCell& cell) { return cell.executor == executor && cell.pattern == pattern; });
  return found == cells.end() ? nullptr : &*found;
}

MetgResult measure_metg(const MetgPlan& plan, const Machine& machine, const BenchBackend& backend) {
  MetgResult result;
  result.workers = bench_workers(machine);
  for (const BenchExecutor* executor : plan.executors) result.executors.push_back({executor->base.name, executor->host_launched});
  for (const std::string_view pattern : plan.patterns) {
    Graphs graphs;
    for (const BenchExecutor* executor : plan.executors) {
      const Design design = bench_design(*executor, result.workers, pattern == to_word(scenarios::Pattern::kTrivial));
      const Seat seat{executor, design, machine_with_workers(machine, design, result.workers)};
      keep_design(result.designs, seat, pattern);
      if (pattern == kChain) {
        result.chains.push_back(measure_chain(plan, seat, graphs, backend));
      } else {
        result.cells.push_back(measure_cell(plan, seat, result.workers, pattern, graphs, backend));
      }
    }
  }
  return result;
}

std::optional<Duration> predicted_makespan(const TaskGraph& graph, const Machine& machine, const Design& design) {
  try {
    return sim::simulate(graph, machine, design).timeline.makespan();
  } catch (const InputError&) {
  } catch (const RunError&) {
  }
  return std::nullopt;
}

const gpu::FlagHop& HopTimes::best() const { return *std::ranges::min_element(flags, {}, &gpu::FlagHop::ns); }
const gpu::FlagHop& HopTimes::best_ring() const { return *std::ranges::min_element(rings, {}, &gpu::FlagHop::ns); }

}  // namespace tasktwin::verify
