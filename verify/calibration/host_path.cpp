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

  constexpr int kManyTasks = 3000;
  const double plain = launch_interval(calibration.run("launches", independent_graph(kManyTasks, spin_task(0ns)), streams(32), 3).timeline);
  calibration.set("launch_ns", plain, "host time from launch to launch of independent kernels over 32 streams");
  // Every hub records an event and every task but the first awaits one: the calls beside the launch, in two known mixes.
  const double alternating = launch_interval(calibration.run("launches with events", chain_graph(kManyTasks, 0ns), streams(2), 3).timeline);
  const TaskGraph stars = stars_graph(30, 100, 0ns);
  const double fanned = launch_interval(calibration.run("launches that share an event", stars, streams(32), 3).timeline);
  std::size_t waits = 0;
  std::size_t records = 0;
  const auto plan = plan_streams(stars, 32);
  for (const StreamLaunch& launch : plan) {
    waits += launch.awaited.size();
    records += launch.records_event ? 1 : 0;
  }
  const auto tasks = static_cast<double>(stars.size());
  const std::vector<double> events = fit_constants(
      {{{1.0, 1.0}, alternating - plain}, {{static_cast<double>(waits) / tasks, static_cast<double>(records) / tasks}, fanned - plain}});
  calibration.set("stream_wait_ns", events[0], "launch intervals of a chain and of stars, less the launch, least squares");
  calibration.set("event_record_ns", events[1], "launch intervals of a chain and of stars, less the launch, least squares");

  std::vector<double> latencies;
  const TaskGraph single = chain_graph(1, 0ns);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const TaskTimes times = calibration.run("a single launch", single, streams(1), 1).timeline.tasks.front();
    latencies.push_back(static_cast<double>((times.started - times.dispatched).count()) + plain);
  }
  calibration.set("launch_latency_ns", trimmed_mean(latencies), "launch call begun to started of single kernels on an idle device");
}

}  // namespace tasktwin::verify
