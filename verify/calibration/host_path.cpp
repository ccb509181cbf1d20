#include <algorithm>

#include <fmt/format.h>

#include "models/stream_plan.hpp"
#include "sim/streams/launcher.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kFirstLaunches = assumed::kHostCalls.first_launch_count;

using namespace std::chrono_literals;

Design streams(int count) {
  Design design = named_design("cuda-streams");
  design.streams = count;
  return design;
}

/// Launches of every kind one behind another: of tasks that stand alone, are one of a chain, one of many behind a hub, or await 8 or 31
/// others, again and again; in the order in which the host meets them.
TaskGraph calls_graph() {
  constexpr int kRounds = 5;
  const Task each = spin_task(10us);
  TaskGraphBuilder builder;
  const auto add = [&](int count, const std::vector<TaskId>& awaited) {
    std::vector<TaskId> tasks;
    for (int i = 0; i < count; ++i) {
      tasks.push_back(builder.add_task("task" + std::to_string(builder.size()), each));
      for (const TaskId before : awaited) builder.add_edge(before, tasks.back());
    }
    return tasks;
  };
  for (int round = 0; round < kRounds; ++round) {
    add(256, {});
    std::vector<TaskId> link;
    for (int i = 0; i < 40; ++i) link = add(1, link);
    add(60, add(1, {}));
    add(200, add(8, {}));
    add(200, add(32, {}));
  }
  return std::move(builder).build();
}

/// What the host does between the ends of two launch calls: it records an event of the first, awaits events for the
/// second, and launches it. The first launches of the run are apart.
struct HostSteps {
  std::vector<double> first;  ///< of launches alone
  std::vector<Observation> steps;
  double time = 0;       ///< of steps
  double host_call = 0;  ///< Measurement::host_call

  HostSteps(const gpu::Measurement& measurement, const std::vector<StreamLaunch>& plan) : host_call(measurement.host_call.count()) {
    const Timeline& timeline = measurement.timeline;
    for (std::size_t i = 1; i < plan.size(); ++i) {
      const Duration interval = timeline.tasks[index(plan[i].task)].dispatched - timeline.tasks[index(plan[i - 1].task)].dispatched;
      if (i < std::size_t{kFirstLaunches}) {
        first.push_back(ns(interval));
        continue;
      }
      steps.push_back({{1.0, static_cast<double>(plan[i].awaited.size()), static_cast<double>(plan[i].first_waits),
                        plan[i - 1].records_event ? 1.0 : 0.0},
                       ns(interval)});
      time += steps.back().value;
    }
  }
};

/// What the first launches took together beyond `launch` each, in the median pass.
double beyond(const std::vector<HostSteps>& passes, double launch) {
  std::vector<double> totals;
  for (const HostSteps& pass : passes) totals.push_back(mean_or_zero(pass.first) - launch);
  return median(totals) * kFirstLaunches;
}

/// Of launch, stream_wait, stream_first_wait and event_record, from several passes over the same launches. A host is quicker in one pass
/// than in another, in all it does, so each is brought to the time of the pass that takes the median of them. What a pass takes beyond its
/// steps' trimmed means, because something interrupts the host, is spread over all of them.
std::vector<Estimate> fit_calls(std::vector<HostSteps> passes, Calibration& calibration) {
  std::ranges::sort(passes, {}, &HostSteps::time);
  const HostSteps& median = passes[passes.size() / 2];
  ObservationGroups groups;
  for (const HostSteps& pass : passes) {
    for (const Observation& step : pass.steps) groups[step.weights].push_back(step.value * median.time / pass.time);
    calibration.keep_sample("host_calls.launch_ns", "a pass, mean of its steps", pass.time / static_cast<double>(pass.steps.size()));
  }
  std::vector<Observation> calls;
  for (const Observation& call : group_means(groups)) {
    calibration.keep_sample("host_calls.launch_ns",
                            fmt::format("{} events awaited; {} of them for the first time; {} recorded before", call.weights[1],
                                        call.weights[2], call.weights[3]),
                            call.value);
    calls.push_back(relative(call.weights, call.value));
  }
  std::vector<Estimate> fitted = fit_constants(calls);
  double told = 0;
  for (const Observation& step : median.steps) {
    for (std::size_t i = 0; i < fitted.size(); ++i) told += step.weights[i] * fitted[i];
  }
  for (Estimate& estimate : fitted) {
    estimate.value *= median.time / told;
    if (estimate.interval)
      estimate.interval = Interval{estimate.interval->low * median.time / told, estimate.interval->high * median.time / told};
  }
  return fitted;
}

/// What launching an empty kernel takes a host that is as quick as in the pass of median time.
double call_beside_median(const std::vector<HostSteps>& passes) {
  std::vector<double> times;
  std::vector<double> calls;  // for each unit of a pass's time
  for (const HostSteps& pass : passes) {
    times.push_back(pass.time);
    calls.push_back(pass.host_call / pass.time);
  }
  return median(calls) * median(times);
}

/// From each task's end to its successor's start along a chain, trimmed mean in ns.
Estimate chain_gap(const Timeline& timeline) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) gaps.push_back(ns(timeline.tasks[i].started - timeline.tasks[i - 1].ended));
  return trimmed_mean(gaps);
}

}  // namespace

void calibrate_host_path(Calibration& calibration) {
  // Long enough that the host is ahead of the device, and short enough that the launch queue never fills.
  constexpr Duration kLong = 30us;
  constexpr int kFewTasks = 400;
  calibration.set("streams.gap_ns",
                  chain_gap(calibration.run("kernels in one stream", chain_graph(kFewTasks, kLong), streams(1), 3).timeline),
                  "ended to started along a chain of 30 us kernels in one stream");
  calibration.set("streams.event_gap_ns",
                  chain_gap(calibration.run("kernels across two streams", chain_graph(kFewTasks, kLong), streams(2), 3).timeline),
                  "ended to started along a chain of 30 us kernels across two streams");

  // Tasks long enough that the events awaited are still to come, as in a run that is not bound by the host.
  constexpr int kPasses = 15;
  const Design many = streams(32);
  const TaskGraph calls = calls_graph();
  const std::vector<StreamLaunch> plan = plan_streams(calls, many);
  std::vector<HostSteps> passes;
  for (int pass = 0; pass < kPasses; ++pass) passes.emplace_back(calibration.run("launches", calls, many, 1), plan);
  const double host_call = call_beside_median(passes);
  const std::vector<Estimate> fitted = fit_calls(passes, calibration);
  const std::string method =
      "host time from launch to launch over 32 streams, by events awaited and recorded, least relative squares over 15 passes";
  calibration.set("host_calls.launch_ns", fitted[0], method);
  calibration.set("host_calls.first_launches_ns", beyond(passes, fitted[0]),
                  "the first launches of each of the 15 passes, less launch_ns each, median of the passes");
  calibration.set("host_calls.stream_wait_ns", fitted[1], method);
  calibration.set("host_calls.stream_first_wait_ns", fitted[2], method);
  calibration.set("host_calls.event_record_ns", fitted[3], method);
  calibration.set("host_calls.reference_launch_ns", host_call,
                  "launches of an empty kernel into 32 streams before each of the 15 passes, by what the passes took, median");

  std::vector<double> latencies;
  const double first = calibration.get("host_calls.first_launches_ns") / kFirstLaunches;
  const TaskGraph single = chain_graph(1, 0ns);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const TaskTimes times = calibration.run("a single launch", single, streams(1), 1).timeline.tasks.front();
    latencies.push_back(ns(times.started - times.dispatched) + fitted[0] + first);
  }
  calibration.set("streams.launch_latency_ns", trimmed_mean(latencies), "launch call begun to started of single kernels on an idle device");
}

}  // namespace tasktwin::verify
