#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "models/design/design.hpp"
#include "models/explain/metrics.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "sim/engine/bandwidth_solver.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

/// One design, simulated.
struct Prediction {
  Design design;
  Timeline timeline;
  std::uint64_t seed = 1;
  std::size_t absent_tasks = 0;  ///< that do not exist: spawned by a task whose predicate did not hold
  double tasks_per_second = 0;   ///< simulated, per wall second of the run loop

  /// First dispatch to the last completion seen by a control core; nullopt where none looks.
  std::optional<Duration> window() const;
};

/// What a report contains of a run in addition to its times. Not part of a prediction: working it out takes about as long as the run.
struct Assessment {
  Metrics metrics;
  Bounds bounds;          ///< of the drawn bodies, with the cores that the design leaves for tasks
  double over_bound = 0;  ///< makespan over the highest bound; 0 where there is no bound
};

/// Contract: `prediction` is of `scenario`.
Assessment assess(const scenarios::Scenario& scenario, const Prediction& prediction);

Prediction predict(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, bool record_steps = false,
                   sim::BandwidthSolver solver = sim::BandwidthSolver::kVirtualTime);

/// Its makespan alone.
Duration predict_makespan(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed,
                          sim::BandwidthSolver solver = sim::BandwidthSolver::kVirtualTime);

/// How many runs that differ by chance alone represent a design with random parts (random_parts).
inline constexpr std::uint64_t kChanceRuns = 9;

/// What a measurement is held against, whose makespan is a median too: of kChanceRuns runs with the scenario's seed the one of the median
/// makespan. The only run where nothing is left to chance.
/// `host_pace`: as in sim::SimulationOptions.
Prediction predict_median(const scenarios::Scenario& scenario, const Design& design, double host_pace = 1);

/// Its makespan with kernels' bodies of the durations `bodies` (sim::SimulationOptions::bodies).
Duration predict_median_with_bodies(const scenarios::Scenario& scenario, const Design& design, std::span<const Duration> bodies,
                                    double host_pace = 1);

/// The first run of several, and the makespans of all, in nanoseconds.
struct RunSeries {
  Prediction first;
  std::vector<double> makespans;
};

/// `runs` runs with the seeds from `seed` on. Where the seed decides nothing (random_parts is empty) they are equal, and
/// one run represents all. The steps of the first are recorded on request; those after it are shared out among `jobs` processes
/// (pool.hpp). `progress` advances by `runs`.
RunSeries predict_runs(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::uint64_t runs,
                       Progress& progress, bool record_steps = false, sim::BandwidthSolver solver = sim::BandwidthSolver::kVirtualTime,
                       std::size_t jobs = 1);

/// A scenario as a command takes it: where it came from, and the designs chosen for it.
/// A captured program as it ran: what a change of it is held against.
struct CapturedBase {
  std::string design;  ///< which makes its calls again
  Duration makespan{};
  Duration host{};              ///< of the path: its own time, its calls, and what is between them and the device
  std::size_t allocations = 0;  ///< calls that allocate or free
  std::size_t iterations = 1;   ///< ImportedRun::iterations
  std::size_t syncs = 0;        ///< calls that block, copies that return when they are over among them
  int replicas = 1;             ///< of it that the changed selection runs at once
  bool unprofiled = false;      ///< its host is as quick as without a profiler
};

struct Selection {
  std::string argument;
  scenarios::Scenario scenario;
  std::vector<Design> designs;
  std::optional<CapturedBase> base = {};  ///< of a changed selection of a captured program
  std::vector<std::string> changes = {};  ///< what is another way than in the selection before (verify/explain/what_if.hpp), a phrase each
};

/// The designs named in `names` ("a,b"): of the scenario, else named ones; all of the scenario's where `names` is empty.
/// Throws InputError for an unknown, repeated or impossible one, said of `option`.
std::vector<Design> select_designs(const scenarios::Scenario& scenario, const std::string& names, std::string_view option = "--designs");

/// `path_or_name` with the machine `machine`, a file or a shipped name, in place of its own; with its own where `machine` is empty.
/// Of that other machine only `designs` are asked whether they can run on it, all of the scenario's where there are none.
scenarios::Scenario load_on(const std::string& path_or_name, const std::string& machine, const scenarios::Admission& admits = {},
                            std::span<const std::string> designs = {});

/// Loads every scenario, on `machine` as load_on does, and chooses its designs. What `admits` refuses of those that the file has is an
/// error of their place in it.
std::vector<Selection> load_selections(const std::vector<std::string>& arguments, const std::string& designs, const std::string& machine,
                                       Progress& progress, const scenarios::Admission& admits = {});

/// How many runs that is, with `runs` of each: what Progress::expect wants to know.
std::size_t run_count(std::span<const Selection> selections, std::uint64_t runs = 1);

}  // namespace tasktwin::verify
