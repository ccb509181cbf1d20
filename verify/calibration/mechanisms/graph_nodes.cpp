#include <algorithm>

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

/// A node with a few successors tells them one by one: from one start to the next after such a hub, less the last, which comes with the
/// one before.
void calibrate_steps(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  std::vector<double> steps;
  for (const int width : {4, 5, 6}) {
    const TaskGraph graph = stars_graph(20, width, 8us);
    const Timeline timeline = probes.run("graphs of small stars", graph, graph_design(), 3).timeline;
    std::vector<double> of_width;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph.out_degree(task_id(i)) < 2) continue;
      std::vector<TimePoint> starts;
      for (const TaskId after : graph.successors(task_id(i))) starts.push_back(timeline.tasks[index(after)].started);
      std::ranges::sort(starts);
      starts.pop_back();
      of_width.push_back(start_interval(starts));
    }
    steps.push_back(trimmed_mean(of_width));
    probes.keep_sample(&Machine::graph_launch, &GraphLaunch::pass, fmt::format("start to start of {} behind a hub", width), steps.back());
  }
  graphs.set(&GraphLaunch::pass, trimmed_mean(steps), "start to start of 4 to 6 nodes behind a hub, without the last");

  // As many at a time as the device keeps with a node, of more groups than it keeps up with.
  constexpr int kGroups = 20;
  const int width = graphs.node_successors;
  const TaskGraph groups = groups_behind_one({kGroups, width, 4, 9us, 9us, 0});
  const Timeline timeline = probes.run("graphs of groups", groups, graph_design(), 3).timeline;
  const auto later = static_cast<std::size_t>(1 + kGroups * width);  // after the first layer
  std::vector<TimePoint> starts;
  for (std::size_t i = later; i < groups.size(); ++i) starts.push_back(timeline.tasks[i].started);
  graphs.set(&GraphLaunch::pass_service, start_interval(starts) / (width - 2),
             "starts of 20 groups of dense layers of 6 nodes, by the successors that are told in steps of their own");
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

void calibrate_roots(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  constexpr int kLayers = 40;
  constexpr int kColumns = 128;
  // Of tasks that take longer, so that many steps are in flight at a time to the end.
  const TaskGraph stencil = stencil_graph(kLayers, kColumns, 20us);
  const gpu::Measurement among = probes.run("graphs of stencils", stencil, graph_design(), 3);
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
  calibrate_steps(probes, graphs);
  calibrate_roots(probes, graphs);
  calibrate_replays(probes, graphs);
}

}  // namespace tasktwin::verify
