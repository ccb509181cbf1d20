#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/graph_launch.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::GraphLaunch;

namespace {

using namespace std::chrono_literals;

/// What gates are seen to do, in waves of several widths.
struct Gates {
  std::vector<double> services;  ///< start to start of a wave
  std::vector<double> behind;    ///< a gate's end to the first start of its wave, all of which are wider than GraphLaunch::node_successors

  void observe(Probes& probes, int width) {
    const TaskGraph graph = wave_graph(std::vector<Task>(static_cast<std::size_t>(10 * width), spin_task(2us)), width, {}, {});
    const Timeline timeline = probes.run("graphs of waves", graph, graph_design(), 3).timeline;
    std::vector<double> intervals;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& task = timeline.tasks[i];
      if (graph.out_degree(task_id(i)) > 1) {
        std::vector<TimePoint> starts;
        for (const TaskId after : graph.successors(task_id(i))) starts.push_back(timeline.tasks[index(after)].started);
        intervals.push_back(start_interval(starts));
        behind.push_back(ns(std::ranges::min(starts) - task.ended));
      }
    }
    services.push_back(trimmed_mean(intervals));
    probes.keep_sample(&Machine::graph_launch, &GraphLaunch::service, fmt::format("start to start of {} behind a gate", width),
                       services.back());
  }
};

void calibrate_gates(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  Gates gates;
  graphs.set(&GraphLaunch::gap, chain_gap(probes.run("nodes of a chain", chain_graph(300, 10us), graph_design(), 3).timeline),
             "ended to started along a chain of 10 us nodes");
  for (const int width : {12, 40, 90}) gates.observe(probes, width);
  graphs.set(&GraphLaunch::service, trimmed_mean(gates.services), "start to start of 12 to 90 nodes behind a gate");
  graphs.set(&GraphLaunch::fetch, trimmed_mean(gates.behind) - graphs.gap.count(),
             "ended to first start behind gates of 12 to 90 nodes, less graph_launch.gap_ns");
}

/// Of a stencil wider than the device keeps up with: the starts of the later half, by ends that made them ready.
double release_interval(const Timeline& timeline, const TaskGraph& graph) {
  const auto started = [&timeline](TaskId task) { return timeline.tasks[index(task)].started; };
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < graph.size(); ++i) tasks.push_back(task_id(i));
  std::ranges::sort(tasks, {}, started);
  const std::span later = std::span(tasks).subspan(tasks.size() / 2, tasks.size() * 2 / 5);
  std::set<TaskId> makers;  // at the edges of the stencil one end makes two ready
  for (const TaskId task : later) {
    const auto before = graph.predecessors(task);
    makers.insert(*std::ranges::max_element(before, {}, [&timeline](TaskId id) { return timeline.tasks[index(id)].ended; }));
  }
  return ns(started(later.back()) - started(later.front())) / static_cast<double>(makers.size() - 1);
}

/// Of a stencil: start to start of the roots that have a whole column before them, less what the host takes over a root and over as many
/// nodes before the last.
double time_between_roots(const GraphLaunch& graphs, const gpu::Measurement& run, const TaskGraph& graph, int layers, int columns) {
  const auto started = [&run](int column) { return run.timeline.tasks[static_cast<std::size_t>(column)].started; };
  const double interval = ns(started(columns - 2) - started(layers)) / (columns - 2 - layers) / slowdown_of(graphs, run);
  const double root = (graphs.per_root + graphs.doublings(graph.size()) * graphs.root_growth).count();
  const double inner =
      (graphs.per_inner + 2 * graphs.per_edge + graphs.doublings(graph.size() - static_cast<std::size_t>(columns)) * graphs.inner_growth)
          .count();
  return std::max(0.0, (interval - root) / (layers - 1) - inner);
}

void calibrate_releases(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  constexpr int kLayers = 40;
  constexpr int kColumns = 128;
  // Of tasks that take longer, so that many steps are in flight at a time to the end.
  const TaskGraph stencil = stencil_graph(kLayers, kColumns, 20us);
  const gpu::Measurement among = probes.run("graphs of stencils", stencil, graph_design(), 3);
  graphs.set(&GraphLaunch::release_among, release_interval(among.timeline, stencil),
             "starts of the later half of a stencil of 128 columns and 40 steps, by ends that made them ready");
  graphs.set(&GraphLaunch::between, time_between_roots(graphs, among, stencil, kLayers, kColumns),
             "start to start of the later roots of a stencil of 128 columns and 40 steps, a node before each");
}

void calibrate_replays(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  const TaskGraph chain = chain_graph(12, 10us);
  std::vector<double> latencies;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Timeline timeline = probes.run("a single graph launch", chain, graph_design(), 1).timeline;
    latencies.push_back(static_cast<double>(to_ns(timeline.tasks.front().started)));
  }
  const Estimate latency = trimmed_mean(latencies);
  graphs.set(&GraphLaunch::latency, latency, "launch call begun to first start of chains of 12 nodes on an idle device");

  constexpr int kReplays = 100;
  std::vector<double> gaps;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Timeline last = probes.run("a graph launched again and again", chain, graph_design(kReplays), 1).timeline;
    const TimePoint began = last.tasks.front().started;
    const double period = (static_cast<double>(to_ns(began)) - latency) / (kReplays - 1);
    gaps.push_back(period - ns(last.tasks.back().ended - began));
    probes.keep_sample(&Machine::graph_launch, &GraphLaunch::replay_gap, fmt::format("{} replays of a chain of 12 nodes", kReplays),
                       gaps.back());
  }
  graphs.set(&GraphLaunch::replay_gap, trimmed_mean(gaps), "a hundred replays of a chain of 12 nodes of 10 us, less the chain itself");
}

}  // namespace

void calibrate_graph_nodes(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  calibrate_gates(probes, graphs);
  calibrate_releases(probes, graphs);
  calibrate_replays(probes, graphs);
}

}  // namespace tasktwin::verify
