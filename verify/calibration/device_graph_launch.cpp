#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "verify/calibration/launch_times.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/phases.hpp"

namespace tasktwin::verify {

using mechanism::DeviceGraphLaunch;

namespace {

using namespace std::chrono_literals;

/// Of graphs that a scheduler kernel launches one after the other.
struct GraphLaunches {
  std::vector<double> launches;   ///< begun to done
  std::vector<double> looks;      ///< done to the next one begun
  std::vector<double> latencies;  ///< begun to the first block started
  std::vector<double> variances;  ///< of these, by run
  std::vector<double> apart;      ///< between two blocks of one that start
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
      const auto [first, last] = std::ranges::minmax(of_blocks);
      latencies.push_back(ns(first - dispatched));
      if (of_blocks.size() > 1) seen.apart.push_back(ns(last - first) / static_cast<double>(of_blocks.size() - 1));
    }
    const double mean = mean_or_zero(latencies);
    std::vector<double> squares;
    for (const double latency : latencies) squares.push_back((latency - mean) * (latency - mean));
    seen.variances.push_back(mean_or_zero(squares));
    seen.latencies.insert(seen.latencies.end(), latencies.begin(), latencies.end());
    probes.keep_sample(&Machine::device_graph_launch, &DeviceGraphLaunch::launch,
                       fmt::format("{}, {} tasks, with those before", what, tasks), mean_or_zero(seen.launches));
    probes.keep_sample(&Machine::device_graph_launch, &DeviceGraphLaunch::latency, fmt::format("{}, {} tasks", what, tasks), mean);
  }
  return seen;
}

/// Graphs launched one right behind the other.
void calibrate_crowds(Probes& probes, Calibrated<DeviceGraphLaunch>& launches) {
  const std::string crowd = "of 640 to 1600 tasks of 4 us, a graph for 16";
  const GraphLaunches warm = launch_graphs(probes, "many graphs launched from the device", spin_task(4us));
  const Estimate launch = trimmed_mean(warm.launches);
  const Estimate latency = trimmed_mean(warm.latencies);
  launches.set(&DeviceGraphLaunch::launch, launch, "launch begun to launch done, by a scheduler kernel, " + crowd);
  launches.set(&DeviceGraphLaunch::look, trimmed_mean(warm.looks), "launch done to the next one begun, " + crowd);
  launches.set(&DeviceGraphLaunch::latency, latency, "launch begun to its first block started, " + crowd);
  launches.set(&DeviceGraphLaunch::latency_sigma, std::sqrt(mean_or_zero(warm.variances)),
               "launch begun to its first block started, " + crowd + ", standard deviation within a run");
  launches.set(&DeviceGraphLaunch::block, trimmed_mean(warm.apart), "between starts of blocks of one graph, " + crowd);
  const GraphLaunches cold = launch_graphs(probes, "many graphs of readers", sized_task(Kernel::kStream, {}, 0, 64 << 10));
  const std::string longer = ", of 640 to 1600 tasks that read 64 KiB, less that of tasks of 4 us";
  launches.set(&DeviceGraphLaunch::uncached_launch,
               trimmed_mean(cold.launches) + trimmed_mean(cold.looks) - launch - trimmed_mean(warm.looks),
               "launch begun to the next one begun" + longer);
  launches.set(&DeviceGraphLaunch::uncached_latency, trimmed_mean(cold.latencies) - latency,
               "launch begun to its first block started" + longer);
}

/// Graphs launched one after the other: into the scheduler's own stream, and behind it.
void calibrate_chains(Probes& probes, const mechanism::ResidentCores& cores, Calibrated<DeviceGraphLaunch>& launches) {
  Design design = named_design("device-graph-launch");
  // Bodies that end at all moments of the scheduler's looks alike.
  constexpr int kMoments = 8;
  const double look = launches.look.count();
  std::vector<double> turns;
  for (int i = 0; i < kMoments; ++i) {
    const Duration body = 10us + round_ns(Nanoseconds{look * i / kMoments});
    const Timeline links = probes.run("graphs launched from the device", chain_graph(100, body), design, 3).timeline;
    turns.push_back(
        mean_over_links(links, [](const TaskTimes& before, const TaskTimes& task) { return task.dispatched - before.ended; }).value);
  }
  launches.set(&DeviceGraphLaunch::turn, mean_or_zero(turns) - cores.release_per_successor.count(),
               "ended to launch begun along chains of tasks of 10 us, longer by none to 7 eighths of device_graph_look_ns, less "
               "resident_cores.release_per_successor_ns");
  launches.set(&DeviceGraphLaunch::start, first_launch(probes, "a single scheduler", design),
               "the host's launch call begun to the first launch by a scheduler kernel");

  design.claim_size = 1;
  const double launch = launches.launch.count();
  design.launch_mode = LaunchMode::kTail;
  const Timeline tails = probes.run("graphs launched behind a scheduler", chain_graph(kLaunchChain, 10us), design, 3).timeline;
  const Estimate round =
      mean_over_links(tails, [](const TaskTimes& before, const TaskTimes& task) { return task.started - before.published; });
  launches.set(
      &DeviceGraphLaunch::tail, (round - launch - look) / 2,
      "published to started along a chain of tail launches, scheduler and task in turn, less the launch and the look before it, halved");
}

}  // namespace

Calibrated<DeviceGraphLaunch> calibrate_device_graph_launch(Probes& probes, const mechanism::ResidentCores& cores) {
  Calibrated<DeviceGraphLaunch> launches(&Machine::device_graph_launch);
  calibrate_crowds(probes, launches);
  calibrate_chains(probes, cores, launches);
  return launches;
}

}  // namespace tasktwin::verify
