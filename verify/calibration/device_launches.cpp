#include <algorithm>

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

void calibrate_kernel_launches(Calibration& calibration, const TaskGraph& chain) {
  const Design design = named_design("dynamic-parallelism");
  const Timeline links = calibration.run("kernels that launch kernels", chain, design, 3).timeline;
  calibration.set("device_launch_ns",
                  mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return before.published - task.dispatched; }),
                  "launch begun to launch done along a chain of kernels that launch each other");
  calibration.set("device_launch_latency_ns",
                  mean_over_links(links, [](const TaskTimes&, const TaskTimes& task) { return task.started - task.dispatched; }),
                  "launch begun to started along a chain of kernels that launch each other");

  // Fewer than may be pending, so that no launch fails; the first and the last tenth are left out.
  constexpr int kCrowd = 1500;
  std::vector<double> intervals;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Timeline crowd = calibration.run("many launches from the device", independent_graph(kCrowd, spin_task(0ns)), design, 1).timeline;
    std::vector<TimePoint> starts;
    for (const TaskTimes& times : crowd.tasks) starts.push_back(times.started);
    std::ranges::sort(starts);
    intervals.push_back(ns(starts[kCrowd * 9 / 10] - starts[kCrowd / 10]) / (kCrowd * 8 / 10));
    calibration.keep_sample("device_launch_service_ns", std::to_string(kCrowd) + " empty kernels", intervals.back());
  }
  calibration.set("device_launch_service_ns", trimmed_mean(intervals), "start to start of 1500 empty kernels launched from the device");
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

  design.launch_mode = LaunchMode::kTail;
  const Timeline tails = calibration.run("graphs launched behind a scheduler", chain, design, 3).timeline;
  const double round =
      mean_over_links(tails, [](const TaskTimes& before, const TaskTimes& task) { return task.started - before.published; });
  calibration.set("device_graph_tail_ns", (round - launch) / 2,
                  "published to started along a chain of tail launches, scheduler and task in turn, less the launch, halved");
}

}  // namespace

void calibrate_device_launches(Calibration& calibration) {
  const TaskGraph chain = chain_graph(kChainLength, 10us);
  calibrate_kernel_launches(calibration, chain);
  calibrate_graph_launches(calibration, chain);
}

}  // namespace tasktwin::verify
