#include <algorithm>
#include <span>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr int kChainLength = 400;

double ns(Duration time) { return static_cast<double>(time.count()); }

/// Over the links of a chain: difference(link before, link), trimmed mean in ns.
template <class Difference>
Estimate mean_over_links(const Timeline& timeline, Difference difference) {
  std::vector<double> values;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) values.push_back(ns(difference(timeline.tasks[i - 1], timeline.tasks[i])));
  return trimmed_mean(values);
}

/// Hubs each of which launches a warp's worth of kernels at once, alone.
void calibrate_warps(Calibration& calibration, const Design& design) {
  constexpr int kLeaves = 32;
  const TaskGraph graph = stars_graph(12, kLeaves, 40us);
  const Timeline timeline = calibration.run("warps that launch kernels", graph, design, 3).timeline;
  std::vector<double> launches;
  std::vector<double> intervals;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.out_degree(task_id(i)) < kLeaves) continue;
    TimePoint begun = TimePoint::max();
    TimePoint first = TimePoint::max();
    TimePoint last = TimePoint::min();
    for (const TaskId leaf : graph.successors(task_id(i))) {
      const TaskTimes& times = timeline.tasks[index(leaf)];
      begun = std::min(begun, times.dispatched);
      first = std::min(first, times.started);
      last = std::max(last, times.started);
    }
    launches.push_back((ns(timeline.tasks[i].published - begun) - calibration.get("device_launch_ns")) / (kLeaves - 1));
    intervals.push_back(ns(last - first) / (kLeaves - 1));
  }
  // As many launches at once as there are cores: where they follow each other by the turn, so do the starts.
  const TaskGraph wide = stencil_behind_one(24, 120, 2us);
  const Timeline crowded = calibration.run("blocks that launch kernels", wide, design, 3).timeline;
  std::vector<TimePoint> starts;
  for (const TaskTimes& times : crowded.tasks) starts.push_back(times.started);
  std::ranges::sort(starts);
  const std::span later = std::span(starts).subspan(starts.size() / 2, starts.size() * 2 / 5);
  calibration.set("device_launch_per_lane_ns", trimmed_mean(launches),
                  "launch begun to launch done of 32 kernels by the lanes of a warp, less device_launch_ns, a kernel but the first");
  calibration.set("device_launch_turn_ns", ns(later.back() - later.front()) / static_cast<double>(later.size() - 1),
                  "start to start of the later half of a stencil of 120 columns and 24 steps behind one task");
  calibration.set("device_launch_service_ns", trimmed_mean(intervals), "start to start of 32 kernels launched by the lanes of a warp");
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
  calibration.set("device_launch_again_ns", trimmed_mean(intervals),
                  "launch begun to launch begun of the later half of 640 kernels of 300 us of which 128 may be pending");
}

void calibrate_kernel_launches(Calibration& calibration, const TaskGraph& chain) {
  const Design design = named_design("dynamic-parallelism");
  const Timeline links = calibration.run("kernels that launch kernels", chain, design, 3).timeline;
  calibration.set("device_launch_ns",
                  mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return before.published - task.dispatched; }),
                  "launch begun to launch done along a chain of kernels that launch each other");
  calibration.set("device_launch_latency_ns",
                  mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.started - task.dispatched; }),
                  "launch begun to started along a chain of kernels that launch each other");
  calibration.set("launched_release_ns",
                  mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return task.dispatched - before.ended; }) -
                      calibration.get("release_per_successor_ns"),
                  "ended to launch begun along a chain of kernels that launch each other, less release_per_successor_ns");
  calibrate_warps(calibration, design);
  calibrate_launches_again(calibration, design);

  // Fewer than may be pending, so that no launch fails; the first and the last tenth are left out.
  constexpr int kCrowd = 1500;
  std::vector<double> intervals;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Timeline crowd = calibration.run("many launches from the device", independent_graph(kCrowd, spin_task(0ns)), design, 1).timeline;
    std::vector<TimePoint> starts;
    for (const TaskTimes& times : crowd.tasks) starts.push_back(times.started);
    std::ranges::sort(starts);
    intervals.push_back(ns(starts[kCrowd * 9 / 10] - starts[kCrowd / 10]) / (kCrowd * 8 / 10));
    calibration.keep_sample("device_launch_block_ns", std::to_string(kCrowd) + " empty kernels", intervals.back());
  }
  calibration.set("device_launch_block_ns", trimmed_mean(intervals), "start to start of 1500 empty kernels launched by one block");
}

void calibrate_graph_launches(Calibration& calibration, const TaskGraph& chain) {
  Design design = named_design("device-graph-launch");
  design.claim_size = 1;
  const Timeline links = calibration.run("graphs launched from the device", chain, design, 3).timeline;
  std::vector<double> launches;
  for (const Span& span : links.dispatchers.front()) launches.push_back(ns(span.end - span.begin));
  const double launch = trimmed_mean(launches);
  calibration.set("device_graph_launch_ns", launch, "launch begun to launch done of graphs of one node, by a scheduler kernel");
  calibration.set("device_graph_latency_ns",
                  mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.started - task.dispatched; }),
                  "launch begun to started of graphs of one node along a chain");

  const double turn = mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return task.dispatched - before.ended; });
  calibration.set("device_graph_turn_ns", turn - calibration.get("release_per_successor_ns"),
                  "ended to launch begun of graphs of one node along a chain, less release_per_successor_ns");
  std::vector<double> begins;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Timeline run = calibration.run("a single scheduler", chain_graph(12, 10us), design, 1).timeline;
    begins.push_back(ns(run.tasks.front().dispatched - TimePoint{}));
  }
  calibration.set("device_graph_start_ns", trimmed_mean(begins), "the host's launch call begun to the first launch by a scheduler kernel");

  // One in 120 launches waits for all graphs before it: those are trimmed away.
  const Timeline crowd =
      calibration.run("many graphs launched from the device", independent_graph(900, spin_task(0ns)), design, 3).timeline;
  std::vector<double> looks;
  for (std::size_t i = 1; i < crowd.dispatchers.front().size(); ++i)
    looks.push_back(ns(crowd.dispatchers.front()[i].begin - crowd.dispatchers.front()[i - 1].end));
  const double look = trimmed_mean(looks);
  calibration.set("device_graph_look_ns", look, "launch done to the next one begun of 900 graphs of one node that are ready");

  design.launch_mode = LaunchMode::kTail;
  const Timeline tails = calibration.run("graphs launched behind a scheduler", chain, design, 3).timeline;
  const double round =
      mean_over_links(tails, [](const TaskTimes& before, const TaskTimes& task) { return task.started - before.published; });
  calibration.set(
      "device_graph_tail_ns", (round - launch - look) / 2,
      "published to started along a chain of tail launches, scheduler and task in turn, less the launch and the look before it, halved");
}

}  // namespace

void calibrate_device_launches(Calibration& calibration) {
  const TaskGraph chain = chain_graph(kChainLength, 10us);
  calibrate_kernel_launches(calibration, chain);
  calibrate_graph_launches(calibration, chain);
}

}  // namespace tasktwin::verify
