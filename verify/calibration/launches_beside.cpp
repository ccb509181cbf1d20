#include "verify/calibration/launches_beside.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "verify/calibration/kernel_launches.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/phases.hpp"
#include "verify/statistics.hpp"

namespace tasktwin::verify {

using mechanism::DynamicParallelism;
using mechanism::LaunchedKernels;

namespace {

using namespace std::chrono_literals;

/// A launch beside others takes longer than one alone.
template <class T>
struct BesideSteps {
  T busy{};
  T other{};  ///< warp that is launching
  auto all() { return std::array{&busy, &other}; }
};

/// By how much longer it took.
struct AmongLaunches {
  double launch_alone = 0;
  double release_alone = 0;
  double release_successor = 0;
  Groups<Slope> launches = {};  ///< of one kernel, by how many other warps were launching when it began
  std::vector<double> bodies = {};
  std::vector<double> releases = {};

  /// Of tasks that take `body` where nobody launches.
  void observe(const TaskGraph& graph, const Timeline& timeline, double body) {
    const std::vector<Launch> all = launches_of(graph, timeline);
    for (const Launch& launch : all) {
      const std::int64_t others = launching_at(all, launch.span.begin) - 1;
      if (launch.single) launches[{static_cast<double>(others)}].push_back(ns(launch.span.end - launch.span.begin) - launch_alone);
      const TimePoint ended = timeline.tasks[index(launch.launcher)].ended;
      const double quiet = release_alone + static_cast<double>(graph.out_degree(launch.launcher)) * release_successor;
      if (launching_at(all, ended) > 0) releases.push_back(ns(launch.span.begin - ended) - quiet);
    }
    for (const TaskTimes& times : timeline.tasks) {
      if (launching_at(all, times.started) > 0) bodies.push_back(ns(body_of(times)) - body);
    }
  }
};

void set_launches(Probes& probes, AmongLaunches& among, Calibrated<DynamicParallelism>& launches) {
  Fit<BesideSteps> means;
  Fit<Slope> spreads;
  for (const auto& [others, mean] : among.launches.means()) {
    const std::vector<double>& times = among.launches[others];
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::beside, fmt::format("{} others, longer by", others.slope), mean);
    if (others.slope == 0) continue;  // the device may have been idle, as along a chain, or not
    means.observe({.busy = -1, .other = others.slope}, mean);
    constexpr std::size_t kEnough = 20;
    if (times.size() < kEnough) continue;
    const double spread = (percentile(times, 0.84) - percentile(times, 0.16)) / (std::log(0.84) - std::log(0.16));
    spreads.observe(others, spread);
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::spread, fmt::format("{} others", others.slope), spread);
  }
  const std::string by_others =
      "launch begun to launch done in stencils of 30 to 120 columns, by the warps that are launching, least squares";
  const BesideSteps<Estimate> fitted = means.solve();
  const double spread = spreads.solve().slope;
  launches.set(&DynamicParallelism::spread, spread, by_others + ", from the 16th to the 84th percentile of an exponential distribution");
  launches.set(&DynamicParallelism::busy, fitted.busy, by_others + ", intercept, less than device_launch_ns");
  constexpr double kTrimmed = 0.8307;  // trimmed_mean of an exponential distribution of mean 1
  launches.set(&DynamicParallelism::beside, fitted.other + (1 - kTrimmed) * spread, by_others + ", slope");
}

}  // namespace

/// Stencils of so many columns that some or most launches are under way at a time.
void calibrate_launches_beside(Probes& probes, const Design& design, const mechanism::ResidentCores& cores, double beyond,
                               DeviceLaunches& found) {
  AmongLaunches among{.launch_alone = found.launches.launch.count(),
                      .release_alone = found.kernels.release.count(),
                      .release_successor = cores.release_per_successor.count()};
  for (const int columns : {30, 60, 120}) {
    for (const Duration body : {2us, 20us}) {
      const TaskGraph graph = stencil_behind_one(24, columns, body);
      among.observe(graph, probes.run("blocks that launch kernels", graph, design, 3).timeline, ns(body) + beyond);
    }
  }
  set_launches(probes, among, found.launches);
  const std::string while_launching = " in stencils of 30 to 120 columns while some warp is launching, less ";
  found.kernels.set(&LaunchedKernels::release_busy, mean_or_zero(among.releases),
                    "ended to launch begun" + while_launching + "launched_release_ns and release_per_successor_ns");
  found.kernels.set(&LaunchedKernels::body_busy, mean_or_zero(among.bodies),
                    "started to ended" + while_launching + "what it is along a chain of kernels that launch each other");
}

}  // namespace tasktwin::verify
