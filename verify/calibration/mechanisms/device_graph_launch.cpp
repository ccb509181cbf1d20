#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::DeviceGraphLaunch;

namespace {

using namespace std::chrono_literals;

/// Of graphs that a scheduler kernel launches one after the other.
struct GraphLaunches {
  std::vector<double> launches;   ///< begun to done
  std::vector<double> looks;      ///< done to the next one begun
  std::vector<double> latencies;  ///< begun to the first block started
};

/// Fewer than after which a scheduler waits for all before it.
GraphLaunches launch_graphs(Probes& probes, const char* what, const Task& task) {
  GraphLaunches seen;
  for (const int tasks : {640, 1120, 1600}) {
    const Timeline timeline = probes.run(what, independent_graph(tasks, task), named_design("device-graph-launch"), 3).timeline;
    const std::vector<Span>& spans = timeline.dispatchers.front();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      seen.launches.push_back(ns(spans[i].end - spans[i].begin));
      if (i > 0) seen.looks.push_back(ns(spans[i].begin - spans[i - 1].end));
    }
    std::map<TimePoint, std::vector<TimePoint>> starts;  // by graph
    for (const TaskTimes& times : timeline.tasks) starts[times.dispatched].push_back(times.started);
    std::vector<double> latencies;
    for (const auto& [dispatched, of_blocks] : starts) {
      latencies.push_back(ns(std::ranges::min(of_blocks) - dispatched));
    }
    const double mean = mean_or_zero(latencies);
    seen.latencies.insert(seen.latencies.end(), latencies.begin(), latencies.end());
    probes.keep_sample(&Machine::device_graph_launch, &DeviceGraphLaunch::launch,
                       fmt::format("{}, {} tasks, with those before", what, tasks), mean_or_zero(seen.launches));
    probes.keep_sample(&Machine::device_graph_launch, &DeviceGraphLaunch::latency, fmt::format("{}, {} tasks", what, tasks), mean);
  }
  return seen;
}

/// Graphs launched one right after the other.
void calibrate_crowds(Probes& probes, Calibrated<DeviceGraphLaunch>& launches) {
  const std::string crowd = "of 640 to 1600 tasks of 4 us, a graph for 16";
  const GraphLaunches warm = launch_graphs(probes, "many graphs launched from the device", spin_task(4us));
  const Estimate launch = trimmed_mean(warm.launches);
  const Estimate latency = trimmed_mean(warm.latencies);
  launches.set(&DeviceGraphLaunch::launch, launch, "launch begun to launch done, by a scheduler kernel, " + crowd);
  launches.set(&DeviceGraphLaunch::look, trimmed_mean(warm.looks), "launch done to the next one begun, " + crowd);
  launches.set(&DeviceGraphLaunch::latency, latency, "launch begun to its first block started, " + crowd);
  const GraphLaunches cold = launch_graphs(probes, "many graphs of readers", sized_task(Kernel::kStream, {}, 0, 64 << 10));
  const std::string longer = ", of 640 to 1600 tasks that read 64 KiB, less that of tasks of 4 us";
  launches.set(&DeviceGraphLaunch::uncached_launch,
               trimmed_mean(cold.launches) + trimmed_mean(cold.looks) - launch - trimmed_mean(warm.looks),
               "launch begun to the next one begun" + longer);
}

}  // namespace

Calibrated<DeviceGraphLaunch> calibrate_device_graph_launch(Probes& probes) {
  Calibrated<DeviceGraphLaunch> launches(&Machine::device_graph_launch);
  calibrate_crowds(probes, launches);
  return launches;
}

}  // namespace tasktwin::verify
