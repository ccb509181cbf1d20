#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verify/bench/bench_provenance.hpp"
#include "verify/bench/metg/metg_benchmark.hpp"
#include "verify/bench/metg/plot.hpp"

namespace tasktwin::verify {

/// Independent tasks of one length through that many dispatchers into mailboxes so deep.
struct SaturationPoint {
  int dispatchers = 0;
  int mailbox_depth = 0;
  Duration length{};
  std::optional<double> measured_per_us;   ///< tasks a microsecond; nothing where the run was refused or failed
  std::optional<double> predicted_per_us;  ///< the simulator's
};

struct SaturationResult {
  int workers = 0;
  Design design;                        ///< with the first number of dispatchers and depth
  std::vector<SaturationPoint> points;  ///< by dispatchers, depth, length
  std::vector<std::string> refusals;    ///< settings that the executor does not run
  std::vector<std::string> faults;      ///< runs that came to no end
};

/// What is varied: dispatchers 1, 2, 4, 8 as far as `machine` has control cores, depths 1, 2, 4, 8, lengths 0.1 to 20 µs.
struct SaturationPlan {
  std::vector<int> dispatchers;
  std::vector<int> depths{1, 2, 4, 8};
  std::vector<Duration> lengths;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};
SaturationPlan saturation_plan(const Machine& machine);

/// Runs central-dispatcher over the plan, median of kBenchRepeats runs. There are no edges, so there is no order to check.
SaturationResult measure_saturation(const SaturationPlan& plan, const Machine& machine, const BenchBackend& backend);

/// Of each setting the largest rate, measured and predicted.
std::string saturation_text(const SaturationResult& result, const BenchProvenance& provenance);

/// dispatchers,mailbox_depth,length_us,measured_tasks_per_us,predicted_tasks_per_us.
std::string saturation_csv(const SaturationResult& result);

Json saturation_json(const SaturationResult& result, const BenchProvenance& provenance);

/// Tasks a µs over their length, a panel for each number of dispatchers; predictions dashed.
Plot saturation_plot(const SaturationResult& result, const std::string& device);

}  // namespace tasktwin::verify
