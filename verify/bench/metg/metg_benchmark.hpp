#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/executor.hpp"
#include "gpu/probes/memory_probes.hpp"
#include "verify/bench/metg/bench_executors.hpp"
#include "verify/bench/metg/metg_search.hpp"

namespace tasktwin::verify {

/// What runs the benchmark's graphs: the GPU; in tests the simulator.
struct BenchBackend {
  std::function<std::optional<std::string>(const TaskGraph&, const Machine&, const Design&)> why_unsupported;
  std::function<gpu::Measurement(const TaskGraph&, const Machine&, const Design&, const gpu::RunOptions&)> run;
};

BenchBackend gpu_backend();

inline constexpr int kBenchRepeats = 3;

/// What is to be measured, of the words of bench_patterns() and the names in bench_executors().
struct MetgPlan {
  std::vector<const BenchExecutor*> executors;
  std::vector<std::string_view> patterns;
  std::vector<Duration> lengths = metg_lengths();
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// How one executor did on one graph, or why it did not.
struct BenchOutcome {
  std::string executor;
  std::string refusal;                   ///< why the executor does not run it
  std::string fault;                     ///< why a run came to no end
  std::int64_t ordering_violations = 0;  ///< over the check runs

  bool right() const { return fault.empty() && ordering_violations == 0; }
  bool measured() const { return refusal.empty() && fault.empty(); }
};

struct MetgCell : BenchOutcome {
  std::string pattern;
  MetgSearch search;
  std::vector<std::optional<double>> predicted_ns;  ///< granularity by search.points; nothing where the simulator has no such wiring
};

struct ChainCell : BenchOutcome {
  double ns_per_task = 0;
  std::optional<double> predicted_ns;
};

/// An executor's design as it was run.
struct BenchDesign {
  Design design;
  std::string tuned;                  ///< in what it differs from the named one
  std::vector<std::string> patterns;  ///< it was run on
};

struct ExecutorRow {
  std::string name;
  bool host_launched = false;
};

struct MetgResult {
  int workers = 0;
  std::vector<ExecutorRow> executors;
  std::vector<BenchDesign> designs;
  std::vector<MetgCell> cells;  ///< by pattern, then executor
  std::vector<ChainCell> chains;

  bool right() const;
  /// nullptr where it was not asked for.
  const MetgCell* find(std::string_view executor, std::string_view pattern) const;
};

/// Runs every executor on every pattern over the lengths that the search visits: median of kBenchRepeats plain runs, after one
/// that checks every ordering (for host-launched executors at the first length only). Runs that fail are kept with their fault. `machine`
/// has as many cores as the GPU.
MetgResult measure_metg(const MetgPlan& plan, const Machine& machine, const BenchBackend& backend);

/// The simulator's makespan; nothing where it has no wiring of the design or the run comes to a standstill.
std::optional<Duration> predicted_makespan(const TaskGraph& graph, const Machine& machine, const Design& design);

/// What the hardware takes for a flag and for a barrier, in the same sitting.
struct HopTimes {
  std::vector<gpu::FlagHop> flags;  ///< two words by turns
  std::vector<gpu::FlagHop> rings;  ///< each word once
  std::vector<gpu::GridBarrierTime> barriers;

  /// The fastest. Contract: there are some.
  const gpu::FlagHop& best() const;
  const gpu::FlagHop& best_ring() const;
};

}  // namespace tasktwin::verify
