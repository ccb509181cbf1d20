#include <fmt/format.h>

#include "models/stream_plan.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

Design streams(int count) {
  Design design = named_design("cuda-streams");
  design.streams = count;
  return design;
}

/// What the host does between the ends of two launch calls: it records an event of the first, awaits events for the
/// second, and launches it.
void observe_launches(const TaskGraph& graph, const Timeline& timeline, const Design& design, ObservationGroups& groups) {
  const std::vector<StreamLaunch> plan = plan_streams(graph, design);
  for (std::size_t i = 1; i < plan.size(); ++i) {
    const Duration interval = timeline.tasks[index(plan[i].task)].dispatched - timeline.tasks[index(plan[i - 1].task)].dispatched;
    groups[{1.0, static_cast<double>(plan[i].awaited.size()), plan[i - 1].records_event ? 1.0 : 0.0}].push_back(
        static_cast<double>(interval.count()));
  }
}

/// From each task's end to its successor's start along a chain, trimmed mean in ns.
Estimate chain_gap(const Timeline& timeline) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i)
    gaps.push_back(static_cast<double>((timeline.tasks[i].started - timeline.tasks[i - 1].ended).count()));
  return trimmed_mean(gaps);
}

}  // namespace

void calibrate_host_path(Calibration& calibration) {
  // Long enough that the host is ahead of the device, and short enough that the launch queue never fills.
  constexpr Duration kLong = 30us;
  constexpr int kFewTasks = 400;
  calibration.set("stream_gap_ns",
                  chain_gap(calibration.run("kernels in one stream", chain_graph(kFewTasks, kLong), streams(1), 3).timeline),
                  "ended to started along a chain of 30 us kernels in one stream");
  calibration.set("event_gap_ns",
                  chain_gap(calibration.run("kernels across two streams", chain_graph(kFewTasks, kLong), streams(2), 3).timeline),
                  "ended to started along a chain of 30 us kernels across two streams");

  // Tasks long enough that the events awaited are still to come, as in a run that is not bound by the host; the graphs
  // await 0 to 31 of them a launch.
  constexpr int kStreams = 32;
  ObservationGroups launches;
  const std::vector<Task> tasks(1000, spin_task(10us));
  for (const TaskGraph& graph :
       {independent_graph(tasks, {}), chain_graph(1000, 10us), stars_graph(10, 100, 10us), stencil_graph(20, 50, 10us),
        wave_graph(tasks, 8, {}, {}), wave_graph(tasks, 16, {}, {}), wave_graph(tasks, 40, {}, {})}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      observe_launches(graph, calibration.run("launches", graph, streams(kStreams), 1).timeline, streams(kStreams), launches);
    }
  }
  const std::vector<Observation> calls = group_means(launches);
  for (const Observation& call : calls) {
    calibration.keep_sample("launch_ns", fmt::format("{} events awaited; {} recorded before", call.weights[1], call.weights[2]),
                            call.value);
  }
  const std::vector<Estimate> fitted = fit_constants(calls);
  const std::string method = "host time from launch to launch over 32 streams, by events awaited and recorded, least squares";
  calibration.set("launch_ns", fitted[0], method);
  calibration.set("stream_wait_ns", fitted[1], method);
  calibration.set("event_record_ns", fitted[2], method);

  std::vector<double> latencies;
  const TaskGraph single = chain_graph(1, 0ns);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const TaskTimes times = calibration.run("a single launch", single, streams(1), 1).timeline.tasks.front();
    latencies.push_back(static_cast<double>((times.started - times.dispatched).count()) + fitted[0]);
  }
  calibration.set("launch_latency_ns", trimmed_mean(latencies), "launch call begun to started of single kernels on an idle device");
}

}  // namespace tasktwin::verify
