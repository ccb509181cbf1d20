#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/kernel_launches.hpp"
#include "verify/calibration/launch_times.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kLanes = assumed::kDynamicParallelism.lanes;
constexpr std::size_t kBlockWarps = assumed::kDynamicParallelism.block_warps;

using namespace std::chrono_literals;

std::vector<TimePoint> sorted_starts(std::span<const TaskTimes> tasks) {
  std::vector<TimePoint> starts;
  for (const TaskTimes& times : tasks) starts.push_back(times.started);
  std::ranges::sort(starts);
  return starts;
}

/// From the start of one task to the start of the next, mean; so many tenths at first and the last one are left out.
double start_to_start(std::span<const TaskTimes> tasks, std::size_t tenths) {
  const std::vector<TimePoint> starts = sorted_starts(tasks);
  const std::size_t tenth = starts.size() / 10;
  return ns(starts[9 * tenth] - starts[tenths * tenth]) / static_cast<double>((9 - tenths) * tenth);
}

/// When a hub began to launch, when the first and the last of its leaves started, and when it had launched all.
struct HubLaunches {
  TimePoint begun = TimePoint::max();
  TimePoint first = TimePoint::max();
  TimePoint last = TimePoint::min();
  TimePoint done{};
};

/// Of each task with so many successors.
std::vector<HubLaunches> hub_launches(const TaskGraph& graph, const Timeline& timeline, std::size_t leaves) {
  std::vector<HubLaunches> hubs;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.out_degree(task_id(i)) < leaves) continue;
    HubLaunches hub{.done = timeline.tasks[i].published};
    for (const TaskId leaf : graph.successors(task_id(i))) {
      const TaskTimes& times = timeline.tasks[index(leaf)];
      hub.begun = std::min(hub.begun, times.dispatched);
      hub.first = std::min(hub.first, times.started);
      hub.last = std::max(hub.last, times.started);
    }
    hubs.push_back(hub);
  }
  return hubs;
}

/// Hubs each of which launches a warp's worth of kernels at once, alone.
void calibrate_warps(Calibration& calibration, const Design& design) {
  constexpr int kLeaves = 32;
  const TaskGraph graph = stars_graph(12, kLeaves, 40us);
  const Timeline timeline = calibration.run("warps that launch kernels", graph, design, 3).timeline;
  std::vector<double> launches;
  std::vector<double> intervals;
  std::vector<TaskTimes> ends = timeline.tasks;
  std::ranges::sort(ends, {}, &TaskTimes::ended);
  std::vector<double> retired;  // of the last hub's leaves, when nobody launches any more
  for (const TaskTimes& leaf : std::span(ends).last(kLeaves)) retired.push_back(ns(leaf.published - leaf.ended));
  calibration.set("launched_kernels.retire_ns", trimmed_mean(retired),
                  "ended to published of 32 kernels that nothing waits for, while none is launched");
  for (const HubLaunches& hub : hub_launches(graph, timeline, kLeaves)) {
    launches.push_back((ns(hub.done - hub.begun) - calibration.get("dynamic_parallelism.launch_ns")) / (kLeaves - 1));
    intervals.push_back(ns(hub.last - hub.first) / (kLeaves - 1));
  }
  calibration.set("dynamic_parallelism.per_lane_ns", trimmed_mean(launches),
                  "launch begun to launch done of 32 kernels by the lanes of a warp, less device_launch_ns, a kernel but the first");
  calibration.set("dynamic_parallelism.service_ns", trimmed_mean(intervals),
                  "start to start of 32 kernels launched by the lanes of a warp");
}

/// Hubs each of whose warps launches several times, alone.
void calibrate_further_launches(Calibration& calibration, const Design& design) {
  const double round = calibration.get("dynamic_parallelism.launch_ns") + 31 * calibration.get("dynamic_parallelism.per_lane_ns");
  std::vector<double> longer;
  for (const int rounds : {2, 3, 4}) {
    const TaskGraph graph = stars_graph(4, 32 * rounds, 40us);
    const Timeline timeline = calibration.run("warps that launch again", graph, design, 3).timeline;
    std::vector<double> of_hubs;
    for (const HubLaunches& hub : hub_launches(graph, timeline, static_cast<std::size_t>(32 * rounds)))
      of_hubs.push_back((ns(hub.done - hub.begun) - rounds * round) / (rounds - 1));
    longer.push_back(trimmed_mean(of_hubs).value);
    calibration.keep_sample("dynamic_parallelism.further_ns", fmt::format("{} rounds of 32, a round but the first", rounds), longer.back());
  }
  calibration.set("dynamic_parallelism.further_ns", mean_or_zero(longer),
                  "launch begun to launch done of 64 to 128 kernels by a warp, less 32 by 32 of device_launch_ns and per lane");
}

/// What launches do to each other, to bodies that start meanwhile, and to the ends of kernels, each by how much longer it took.
struct AmongLaunches {
  ObservationGroups launches;  ///< of one kernel, by how many warps were launching when it began
  std::vector<double> bodies;
  std::vector<double> releases;

  /// Of tasks that spin for `body`, which takes `beyond` more where nobody launches.
  void observe(const Calibration& calibration, const TaskGraph& graph, const Timeline& timeline, Duration body, double beyond) {
    const std::vector<Launch> all = launches_of(graph, timeline);
    for (const Launch& launch : all) {
      const std::int64_t others = launching_at(all, launch.span.begin) - 1;
      if (launch.single)
        launches[{static_cast<double>(others)}].push_back(ns(launch.span.end - launch.span.begin) -
                                                          calibration.get("dynamic_parallelism.launch_ns"));
      const TimePoint ended = timeline.tasks[index(launch.launcher)].ended;
      const double quiet = calibration.get("launched_kernels.release_ns") + static_cast<double>(graph.out_degree(launch.launcher)) *
                                                                                calibration.get("resident_cores.release_per_successor_ns");
      if (launching_at(all, ended) > 0) releases.push_back(ns(launch.span.begin - ended) - quiet);
    }
    for (const TaskTimes& times : timeline.tasks) {
      if (launching_at(all, times.started) > 0) bodies.push_back(ns(times.ended - times.started) - ns(body) - beyond);
    }
  }
};

/// Stencils of so many columns that some or most launches are under way at a time. `beyond`: what bodies take longer than they spin where
/// nobody launches.
void calibrate_launches_beside(Calibration& calibration, const Design& design, double beyond) {
  AmongLaunches among;
  for (const int columns : {30, 60, 120}) {
    for (const Duration body : {2us, 20us}) {
      const TaskGraph graph = stencil_behind_one(24, columns, body);
      among.observe(calibration, graph, calibration.run("blocks that launch kernels", graph, design, 3).timeline, body, beyond);
    }
  }
  std::vector<Observation> means;
  std::vector<Observation> spreads;
  for (const Observation& one : group_means(among.launches)) {
    const double others = one.weights[0];
    const std::vector<double>& times = among.launches[one.weights];
    calibration.keep_sample("dynamic_parallelism.beside_ns", fmt::format("{} others, longer by", others), one.value);
    if (others == 0) continue;  // the device may have been idle, as along a chain, or not
    means.push_back({{-1.0, others}, one.value});
    constexpr std::size_t kEnough = 20;
    if (times.size() < kEnough) continue;
    const double spread = (percentile(times, 0.84) - percentile(times, 0.16)) / (std::log(0.84) - std::log(0.16));
    spreads.push_back({{others}, spread});
    calibration.keep_sample("dynamic_parallelism.spread_ns", fmt::format("{} others", others), spread);
  }
  const std::string by_others =
      "launch begun to launch done in stencils of 30 to 120 columns, by the warps that are launching, least squares";
  const std::vector<Estimate> fitted = fit_constants(means);
  const double spread = fit_constants(spreads)[0].value;
  calibration.set("dynamic_parallelism.spread_ns", spread,
                  by_others + ", from the 16th to the 84th percentile of an exponential distribution");
  calibration.set("dynamic_parallelism.busy_ns", fitted[0], by_others + ", intercept, less than device_launch_ns");
  constexpr double kTrimmed = 0.8307;  // trimmed_mean of an exponential distribution of mean 1
  calibration.set("dynamic_parallelism.beside_ns", fitted[1].value + (1 - kTrimmed) * spread, by_others + ", slope");
  const std::string while_launching = " in stencils of 30 to 120 columns while some warp is launching, less ";
  calibration.set("launched_kernels.release_busy_ns", std::max(0.0, mean_or_zero(among.releases).value),
                  "ended to launch begun" + while_launching + "launched_release_ns and release_per_successor_ns");
  calibration.set("launched_kernels.body_busy_ns", std::max(0.0, mean_or_zero(among.bodies).value),
                  "started to ended" + while_launching + "what it is along a chain of kernels that launch each other");
}

/// What found no room is launched again, kernel by kernel, when the rest has been tried.
void calibrate_launches_again(Calibration& calibration, Design design) {
  constexpr int kLeaves = 640;
  design.pending_launches = 128;
  const TaskGraph graph = stars_graph(1, kLeaves, 300us);
  const Timeline timeline = calibration.run("kernels launched again", graph, design, 1).timeline;
  std::vector<TimePoint> begun;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.out_degree(task_id(i)) == 0) begun.push_back(timeline.tasks[i].dispatched);
  }
  std::ranges::sort(begun);
  std::vector<double> intervals;
  for (std::size_t i = begun.size() / 2; i + 1 < begun.size(); ++i) intervals.push_back(ns(begun[i + 1] - begun[i]));
  calibration.set("dynamic_parallelism.again_ns", trimmed_mean(intervals),
                  "launch begun to launch begun of the later half of 640 kernels of 300 us of which 128 may be pending");
}

/// One block that launches many kernels: 32 by each of its eight warps at first, then by whichever is done.
void calibrate_block_launches(Calibration& calibration, const Design& design) {
  constexpr int kCrowd = 1500;             // fewer than may be pending, so that no launch fails
  constexpr std::size_t kFirstTenths = 2;  // in which the warps launch for the first time
  std::vector<double> intervals;
  std::vector<double> first_launches;  // when the last of the warps' first 32 started
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Timeline crowd = calibration.run("many launches from the device", independent_graph(kCrowd, spin_task(0ns)), design, 1).timeline;
    intervals.push_back(start_to_start(crowd.tasks, kFirstTenths));
    first_launches.push_back(ns(sorted_starts(crowd.tasks)[kBlockWarps * kLanes - 1].time_since_epoch()));
    calibration.keep_sample("dynamic_parallelism.block_ns", std::to_string(kCrowd) + " empty kernels", intervals.back());
    calibration.keep_sample("dynamic_parallelism.crowd_ns", "launch call begun to the 256th start", first_launches.back());
  }
  const Estimate block = trimmed_mean(intervals);
  calibration.set("dynamic_parallelism.block_ns", block, "start to start of 1500 empty kernels launched by one block, from the 300th on");
  const double one_warp =
      calibration.get("dynamic_parallelism.start_ns") + calibration.get("dynamic_parallelism.latency_ns") +
      (kLanes - 1) * (calibration.get("dynamic_parallelism.per_lane_ns") + calibration.get("dynamic_parallelism.service_ns"));
  constexpr std::size_t kOthers = kBlockWarps - 1;
  calibration.set("dynamic_parallelism.crowd_ns",
                  std::max(0.0, ((median(first_launches) - one_warp) / (kOthers * kLanes) - block.value) / kOthers),
                  "launch call begun to the 256th start of 1500 empty kernels launched by one block, less that of the 32nd and 224 of "
                  "dynamic_parallelism.block_ns");
  const TaskGraph readers = independent_graph(kCrowd, sized_task(Kernel::kStream, {}, 0, 64 << 10));
  calibration.set("dynamic_parallelism.uncached_block_ns",
                  std::max(0.0, start_to_start(calibration.run("many readers launched from the device", readers, design, 3).timeline.tasks,
                                               kFirstTenths) -
                                    calibration.get("dynamic_parallelism.block_ns")),
                  "start to start of 1500 kernels that read 64 KiB launched by one block, less device_launch_block_ns");
}

/// Kernels each of which launches the next. Returns what their bodies take longer than they spin.
double calibrate_chains(Calibration& calibration, const Design& design) {
  constexpr Duration kBody = 10us;
  const Timeline links = calibration.run("kernels that launch kernels", chain_graph(kLaunchChain, kBody), design, 3).timeline;
  calibration.set("dynamic_parallelism.launch_ns",
                  mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return before.published - task.dispatched; }),
                  "launch begun to launch done along a chain of kernels that launch each other");
  calibration.set("dynamic_parallelism.latency_ns",
                  mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.started - task.dispatched; }),
                  "launch begun to started along a chain of kernels that launch each other");
  calibration.set("launched_kernels.release_ns",
                  mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return task.dispatched - before.ended; }) -
                      calibration.get("resident_cores.release_per_successor_ns"),
                  "ended to launch begun along a chain of kernels that launch each other, less release_per_successor_ns");
  calibration.set("dynamic_parallelism.start_ns", first_launch(calibration, "a single launch from the device", design),
                  "the host's launch call begun to the first launch by a kernel");
  return mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.ended - task.started; }).value - ns(kBody);
}

/// Many blocks that launch at once, so that kernels end as fast as others start.
void calibrate_ends(Calibration& calibration, const Design& design) {
  constexpr int kChildren = 32;
  const TaskGraph tree = spawned_tree(3, kChildren, 5us);
  const Timeline timeline = calibration.run("kernels that end while others start", tree, design, 3).timeline;
  const std::span<const TaskTimes> leaves = std::span(timeline.tasks).subspan(1 + kChildren);
  calibration.set("dynamic_parallelism.end_ns",
                  std::max(0.0, start_to_start(leaves, 1) - calibration.get("dynamic_parallelism.service_ns")),
                  "start to start of 1024 kernels of 5 us launched by 32 others, less device_launch_service_ns");
}

}  // namespace

void calibrate_device_launches(Calibration& calibration) {
  const Design design = named_design("dynamic-parallelism");
  const double beyond = calibrate_chains(calibration, design);
  calibrate_warps(calibration, design);
  calibrate_further_launches(calibration, design);
  calibrate_launches_beside(calibration, design, beyond);
  calibrate_launches_again(calibration, design);
  calibrate_block_launches(calibration, design);
  calibrate_ends(calibration, design);
}

}  // namespace tasktwin::verify
