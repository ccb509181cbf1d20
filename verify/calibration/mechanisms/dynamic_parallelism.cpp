#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/assumed_counts.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/mechanisms/launches_beside.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

using mechanism::DynamicParallelism;
using mechanism::LaunchedKernels;

namespace {

constexpr std::size_t kLanes = assumed::kResidentCores.lanes;
constexpr std::size_t kBlockWarps = 8;  // of the block that launches the roots
constexpr int kLaunchChain = 400;

using namespace std::chrono_literals;

std::vector<TimePoint> sorted_starts(std::span<const TaskTimes> tasks) {
  std::vector<TimePoint> starts;
  for (const TaskTimes& times : tasks) starts.push_back(times.started);
  std::ranges::sort(starts);
  return starts;
}

/// From the start of one task to the start of the next, mean; that many tenths at first and the last one are left out.
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

/// Of each task with that many successors.
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
void calibrate_warps(Probes& probes, const Design& design, DeviceLaunches& found) {
  constexpr int kLeaves = 32;
  const TaskGraph graph = stars_graph(12, kLeaves, 40us);
  const Timeline timeline = probes.run("warps that launch kernels", graph, design, 3).timeline;
  std::vector<double> launches;
  std::vector<double> intervals;
  for (const HubLaunches& hub : hub_launches(graph, timeline, kLeaves)) {
    launches.push_back((ns(hub.done - hub.begun) - found.launches.launch.count()) / (kLeaves - 1));
    intervals.push_back(ns(hub.last - hub.first) / (kLeaves - 1));
  }
  found.launches.set(
      &DynamicParallelism::per_lane, trimmed_mean(launches),
      "launch begun to launch done of 32 kernels by the lanes of a warp, less dynamic_parallelism.launch_ns, a kernel but the first");
  found.launches.set(&DynamicParallelism::service, trimmed_mean(intervals), "start to start of 32 kernels launched by the lanes of a warp");
}

/// Hubs each of whose warps launches several times, alone.
void calibrate_further_launches(Probes& probes, const Design& design, DeviceLaunches& found) {
  const double round = found.launches.launch.count() + 31 * found.launches.per_lane.count();
  std::vector<double> longer;
  for (const int rounds : {2, 3, 4}) {
    const TaskGraph graph = stars_graph(4, 32 * rounds, 40us);
    const Timeline timeline = probes.run("warps that launch again", graph, design, 3).timeline;
    std::vector<double> of_hubs;
    for (const HubLaunches& hub : hub_launches(graph, timeline, static_cast<std::size_t>(32 * rounds)))
      of_hubs.push_back((ns(hub.done - hub.begun) - rounds * round) / (rounds - 1));
    longer.push_back(trimmed_mean(of_hubs).value);
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::further,
                       fmt::format("{} rounds of 32, a round but the first", rounds), longer.back());
  }
  found.launches.set(
      &DynamicParallelism::further, mean_or_zero(longer),
      "launch begun to launch done of 64 to 128 kernels by a warp, less 32 by 32 of dynamic_parallelism.launch_ns and per lane");
}

/// What found no room is launched again, kernel by kernel, when the rest has been tried.
void calibrate_launches_again(Probes& probes, Design design, DeviceLaunches& found) {
  constexpr int kLeaves = 640;
  design.pending_launches = 128;
  const TaskGraph graph = stars_graph(1, kLeaves, 300us);
  const Timeline timeline = probes.run("kernels launched again", graph, design, 1).timeline;
  std::vector<TimePoint> begun;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.out_degree(task_id(i)) == 0) begun.push_back(timeline.tasks[i].dispatched);
  }
  std::ranges::sort(begun);
  std::vector<double> intervals;
  for (std::size_t i = begun.size() / 2; i + 1 < begun.size(); ++i) intervals.push_back(ns(begun[i + 1] - begun[i]));
  found.launches.set(&DynamicParallelism::again, trimmed_mean(intervals),
                     "launch begun to launch begun of the later half of 640 kernels of 300 us of which 128 may be pending");
}

/// One block that launches many kernels: 32 by each of its eight warps at first, then by any that is done.
void calibrate_block_launches(Probes& probes, const Design& design, const mechanism::Streams& streams, DeviceLaunches& found) {
  constexpr int kCrowd = 1500;             // fewer than may be pending, so that no launch fails
  constexpr std::size_t kFirstTenths = 2;  // in which the warps launch for the first time
  std::vector<double> intervals;
  std::vector<double> first_launches;  // when the last of the warps' first 32 started
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Timeline crowd = probes.run("many launches from the device", independent_graph(kCrowd, spin_task(0ns)), design, 1).timeline;
    intervals.push_back(start_to_start(crowd.tasks, kFirstTenths));
    first_launches.push_back(ns(sorted_starts(crowd.tasks)[kBlockWarps * kLanes - 1].time_since_epoch()));
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::block, std::to_string(kCrowd) + " empty kernels",
                       intervals.back());
    probes.keep_sample(&Machine::dynamic_parallelism, &DynamicParallelism::crowd, "launch call begun to the 256th start",
                       first_launches.back());
  }
  const Estimate block = trimmed_mean(intervals);
  found.launches.set(&DynamicParallelism::block, block, "start to start of 1500 empty kernels launched by one block, from the 300th on");
  const double one_warp = streams.launch_latency.count() + found.launches.latency.count() +
                          (kLanes - 1) * (found.launches.per_lane.count() + found.launches.service.count());
  constexpr std::size_t kOthers = kBlockWarps - 1;
  found.launches.set(&DynamicParallelism::crowd,
                     std::max(0.0, ((median(first_launches) - one_warp) / (kOthers * kLanes) - block.value) / kOthers),
                     "launch call begun to the 256th start of 1500 empty kernels launched by one block, less that of the 32nd and 224 of "
                     "dynamic_parallelism.block_ns");
}

/// Kernels each of which launches the next.
void calibrate_chains(Probes& probes, const Design& design, DeviceLaunches& found) {
  constexpr Duration kBody = 10us;
  const Timeline links = probes.run("kernels that launch kernels", chain_graph(kLaunchChain, kBody), design, 3).timeline;
  found.launches.set(
      &DynamicParallelism::launch,
      mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return before.published - task.dispatched; }),
      "launch begun to launch done along a chain of kernels that launch each other");
  found.launches.set(&DynamicParallelism::latency,
                     mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.started - task.dispatched; }),
                     "launch begun to started along a chain of kernels that launch each other");
  found.kernels.set(&LaunchedKernels::release,
                    mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return task.dispatched - before.ended; }),
                    "ended to launch begun along a chain of kernels that launch each other");
}

/// The same tasks in a graph and on resident cores.
void calibrate_launched_bodies(Probes& probes, Calibrated<LaunchedKernels>& kernels) {
  const auto body = [&probes](const char* design) {
    return mean_phase(probes.run("tasks of a chain", chain_graph(300, 10us), named_design(design), 3).timeline, body_of);
  };
  kernels.set(&LaunchedKernels::body, body("cuda-graph") - body("static-queues"),
              "started to ended along a chain of 10 us, nodes of a graph less tasks on resident cores");
}

/// Many blocks that launch at once, so that kernels end as fast as others start.
void calibrate_ends(Probes& probes, const Design& design, DeviceLaunches& found) {
  constexpr int kChildren = 32;
  const TaskGraph tree = spawned_tree(3, kChildren, 5us);
  const Timeline timeline = probes.run("kernels that end while others start", tree, design, 3).timeline;
  const std::span<const TaskTimes> leaves = std::span(timeline.tasks).subspan(1 + kChildren);
  found.launches.set(&DynamicParallelism::end, std::max(0.0, start_to_start(leaves, 1) - found.launches.service.count()),
                     "start to start of 1024 kernels of 5 us launched by 32 others, less dynamic_parallelism.service_ns");
}

}  // namespace

DeviceLaunches calibrate_device_launches(Probes& probes, const mechanism::Streams& streams) {
  const Design design = named_design("dynamic-parallelism");
  DeviceLaunches found;
  calibrate_launched_bodies(probes, found.kernels);
  calibrate_chains(probes, design, found);
  calibrate_warps(probes, design, found);
  calibrate_further_launches(probes, design, found);
  calibrate_launches_beside(probes, design, found);
  calibrate_launches_again(probes, design, found);
  calibrate_block_launches(probes, design, streams, found);
  calibrate_ends(probes, design, found);
  return found;
}

}  // namespace tasktwin::verify
