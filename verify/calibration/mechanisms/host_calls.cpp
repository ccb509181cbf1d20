#include <algorithm>

#include <fmt/format.h>

#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

using mechanism::HostCalls;

namespace {

using namespace std::chrono_literals;

/// Launches of every kind one after another: of tasks that are alone, one of a chain, one of many after a hub, or await 8 or 31
/// others, again and again; in the order in which the host meets them. Tasks long enough that the events awaited are still to come, as in a
/// run that is not bound by the host.
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

/// What the host does between the ends of two launch calls: it records an event of the first, awaits events for the second, and launches
/// it.
template <class T>
struct CallSteps {
  T launch{};
  T wait{};
  T record{};
  auto all() { return std::array{&launch, &wait, &record}; }
};

/// A pass over all launches. The first ones of the run are apart.
struct HostSteps {
  std::vector<double> first;  ///< of launches alone
  std::vector<std::pair<CallSteps<double>, double>> steps;
  double time = 0;       ///< of steps
  double host_call = 0;  ///< Measurement::host_call

  HostSteps(const gpu::Measurement& measurement, const std::vector<StreamLaunch>& plan) : host_call(measurement.host_call.count()) {
    const Timeline& timeline = measurement.timeline;
    for (std::size_t i = 1; i < plan.size(); ++i) {
      const Duration interval = timeline.tasks[index(plan[i].task)].dispatched - timeline.tasks[index(plan[i - 1].task)].dispatched;
      if (i < std::size_t{HostCalls::kFirstLaunches}) {
        first.push_back(ns(interval));
        continue;
      }
      steps.push_back({{.launch = 1, .wait = static_cast<double>(plan[i].awaited.size()), .record = plan[i - 1].records_event ? 1.0 : 0.0},
                       ns(interval)});
      time += steps.back().second;
    }
  }
};

/// What the first launches took together beyond `launch` each, in the median pass.
double beyond(const std::vector<HostSteps>& passes, double launch) {
  std::vector<double> totals;
  for (const HostSteps& pass : passes) totals.push_back(mean_or_zero(pass.first) - launch);
  return median(totals) * HostCalls::kFirstLaunches;
}

/// From several passes over the same launches. A host is quicker in one pass than in another, in all it does, so each is brought to the
/// time of the pass that takes the median of them. What a pass takes beyond its steps' trimmed means, because something interrupts the
/// host, is spread over all of them.
CallSteps<Estimate> fit_calls(std::vector<HostSteps> passes, Probes& probes) {
  std::ranges::sort(passes, {}, &HostSteps::time);
  const HostSteps& median = passes[passes.size() / 2];
  Groups<CallSteps> groups;
  for (const HostSteps& pass : passes) {
    for (const auto& [weights, time] : pass.steps) groups[weights].push_back(time * median.time / pass.time);
    probes.keep_sample(&Machine::host_calls, &HostCalls::launch, "a pass, mean of its steps",
                       pass.time / static_cast<double>(pass.steps.size()));
  }
  Fit<CallSteps> calls;
  for (const auto& [weights, mean] : groups.means()) {
    probes.keep_sample(&Machine::host_calls, &HostCalls::launch,
                       fmt::format("{} events awaited; {} recorded before", weights.wait, weights.record), mean);
    calls.observe_relative(weights, mean);
  }
  CallSteps<Estimate> fitted = calls.solve();
  double told = 0;
  for (auto [weights, time] : median.steps) {
    for (std::size_t i = 0; i < fitted.all().size(); ++i) told += *weights.all()[i] * *fitted.all()[i];
  }
  for (Estimate* const estimate : fitted.all()) {
    estimate->value *= median.time / told;
    if (estimate->interval)
      estimate->interval = Interval{estimate->interval->low * median.time / told, estimate->interval->high * median.time / told};
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

void calibrate_launches(Probes& probes, int count, Calibrated<HostCalls>& calls) {
  Design many = named_design("cuda-streams");
  many.streams = 32;
  const TaskGraph graph = calls_graph();
  const std::vector<StreamLaunch> plan = plan_streams(graph, many);
  std::vector<HostSteps> passes;
  for (int pass = 0; pass < count; ++pass) passes.emplace_back(probes.run("launches", graph, many, 1), plan);
  const CallSteps<Estimate> fitted = fit_calls(passes, probes);
  const std::string method =
      "host time from launch to launch over 32 streams, by events awaited and recorded, least relative squares over " +
      std::to_string(count) + " passes";
  calls.set(&HostCalls::launch, fitted.launch, method);
  calls.set(&HostCalls::first_launches, beyond(passes, fitted.launch),
            "the first 32 launches of each of these passes, less launch_ns each, median of the passes");
  calls.set(&HostCalls::stream_wait, fitted.wait, method);
  calls.set(&HostCalls::event_record, fitted.record, method);
  calls.set(&HostCalls::reference_launch, call_beside_median(passes),
            "launches of an empty kernel into 32 streams before each of these passes, by what the passes took, median");
}

/// Along a chain across two streams under `how`, from each kernel's end to the host continuing, trimmed mean in ns.
Estimate end_to_host(Probes& probes, StreamWait how) {
  constexpr int kChainLength = 200;
  Design design = named_design("cuda-streams");
  design.streams = 2;
  design.stream_wait = how;
  const std::string what = "a host that waits by " + std::string(to_word(how));
  const Timeline timeline = probes.run(what, chain_graph(kChainLength, 20us), design, 3).timeline;
  const std::vector<Span>& busy = timeline.dispatchers.front();  // the host waits before every launch but the first
  std::vector<double> times;
  for (std::size_t i = 1; i < std::min(busy.size(), timeline.tasks.size()); ++i)
    times.push_back(ns(busy[i].begin - timeline.tasks[i - 1].ended));
  return trimmed_mean(times);
}

void calibrate_waits(Probes& probes, Calibrated<HostCalls>& calls) {
  const gpu::HostCallTimes times = probes.ask("calls of the host", &CalibrationBackend::host_calls);
  const std::pair<StreamWait, double> ways[] = {{StreamWait::kEventSync, times.event_sync_ns},
                                                {StreamWait::kStreamSync, times.stream_sync_ns},
                                                {StreamWait::kDeviceSync, times.device_sync_ns}};
  double call = 0;
  double latency = 0;
  for (const auto& [way, time] : ways) {
    const double known = end_to_host(probes, way);
    probes.keep_sample(&Machine::host_calls, &HostCalls::sync, std::string(to_word(way)), time);
    probes.keep_sample(&Machine::host_calls, &HostCalls::sync_latency, std::string(to_word(way)), known);
    call += time / std::size(ways);
    latency += known / std::size(ways);
  }
  calls.set(&HostCalls::sync, call, "calls that block for an event, a stream and a device with nothing to do, mean");
  calls.set(&HostCalls::sync_latency, latency,
            "ended to the host's next call along a chain of 20 us kernels, blocking for event, stream and device, mean");
  calls.set(&HostCalls::callback_latency, end_to_host(probes, StreamWait::kCallback),
            "ended to the host's next call along a chain of 20 us kernels with host functions");
}

}  // namespace

Calibrated<HostCalls> calibrate_host_launches(Probes& probes, int passes) {
  Calibrated<HostCalls> calls(&Machine::host_calls);
  calibrate_launches(probes, passes, calls);
  return calls;
}

Calibrated<HostCalls> calibrate_host_calls(Probes& probes) {
  Calibrated<HostCalls> calls = calibrate_host_launches(probes);
  calibrate_waits(probes, calls);
  return calls;
}

}  // namespace tasktwin::verify
