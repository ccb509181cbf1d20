#include <algorithm>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "models/stream_plan.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

Design streams(int count) {
  Design design = named_design("cuda-streams");
  design.streams = count;
  return design;
}

/// The host's time from one launch to the next, trimmed mean in ns.
double launch_interval(const Timeline& timeline) {
  std::vector<double> times;
  for (const TaskTimes& task : timeline.tasks) times.push_back(static_cast<double>(task.dispatched.time_since_epoch().count()));
  std::ranges::sort(times);
  std::vector<double> intervals;
  for (std::size_t i = 1; i < times.size(); ++i) intervals.push_back(times[i] - times[i - 1]);
  return trimmed_mean(intervals);
}

/// From each task's end to its successor's start along a chain, trimmed mean in ns.
double chain_gap(const Timeline& timeline) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) gaps.push_back(static_cast<double>((timeline.tasks[i].started - timeline.tasks[i - 1].ended).count()));
  return trimmed_mean(gaps);
}

}  // namespace

void calibrate_host_path(Calibration& calibration) {
  // Long enough that the host is ahead of the device, and short enough that the launch queue never fills.
  constexpr Duration kLong = 30us;
  constexpr int kFewTasks = 400;
  calibration.set("stream_gap_ns", chain_gap(calibration.run("kernels in one stream", chain_graph(kFewTasks, kLong), streams(1), 3).timeline),
                  "ended to started along a chain of 30 us kernels in one stream");
  calibration.set("event_gap_ns", chain_gap(calibration.run("kernels across two streams", chain_graph(kFewTasks, kLong), streams(2), 3).timeline),
                  "ended to started along a chain of 30 us kernels across two streams");

  // The calls of a launch in mixes that the plan knows: launches alone, and with more and fewer waits and records each.
  struct Mix {
    const char* what;
    TaskGraph graph;
  };
  const Mix mixes[] = {{"launches", independent_graph(3000, spin_task(0ns))},
                       {"launches that await the one before", chain_graph(3000, 0ns)},
                       {"launches that share an event", stars_graph(30, 100, 0ns)},
                       {"launches that await three", stencil_graph(60, 50, 0ns)}};
  std::vector<Observation> calls;
  for (const Mix& mix : mixes) {
    double waits = 0;
    double records = 0;
    const auto plan = plan_streams(mix.graph, 32);
    for (const StreamLaunch& launch : plan) {
      waits += static_cast<double>(launch.awaited.size());
      records += launch.records_event ? 1 : 0;
    }
    const auto tasks = static_cast<double>(plan.size());
    const double interval = launch_interval(calibration.run(mix.what, mix.graph, streams(32), 5).timeline);
    calibration.keep_sample("launch_ns", mix.what, interval);
    calls.push_back({{1.0, waits / tasks, records / tasks}, interval});
  }
  const std::vector<double> fitted = fit_constants(calls);
  calibration.set("launch_ns", fitted[0], "host time from launch to launch over 32 streams with 0 to 3 waits and records each, least squares");
  calibration.set("stream_wait_ns", fitted[1], "host time from launch to launch over 32 streams with 0 to 3 waits and records each, least squares");
  calibration.set("event_record_ns", fitted[2], "host time from launch to launch over 32 streams with 0 to 3 waits and records each, least squares");

  std::vector<double> latencies;
  const TaskGraph single = chain_graph(1, 0ns);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const TaskTimes times = calibration.run("a single launch", single, streams(1), 1).timeline.tasks.front();
    latencies.push_back(static_cast<double>((times.started - times.dispatched).count()) + fitted[0]);
  }
  calibration.set("launch_latency_ns", trimmed_mean(latencies), "launch call begun to started of single kernels on an idle device");
}

}  // namespace tasktwin::verify
