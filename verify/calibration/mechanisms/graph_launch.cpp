#include "verify/calibration/mechanisms/graph_launch.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "verify/calibration/fit/assumed_counts.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

using mechanism::GraphLaunch;

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLayersSeed = 0xca11'96a9;  // no scenario has it

/// Nodes with predecessors and no successors.
double inner_leaves(const TaskGraph& graph) {
  double leaves = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) leaves += graph.in_degree(task_id(i)) > 0 && graph.out_degree(task_id(i)) == 0;
  return leaves;
}

struct Shape {
  std::string name;
  TaskGraph graph;
  bool chain = false;
};

/// Chains, nodes after one and without edges, 200 to 10000 of them; nodes between two, and layers in order and drawn, 200 to 3600.
std::vector<Shape> shapes() {
  const auto empties = [](int count) { return std::vector<Task>(static_cast<std::size_t>(count), spin_task(0ns)); };
  std::vector<Shape> made;
  for (const int nodes : {200, 900, 3600, 10000}) {
    made.push_back({fmt::format("a chain of {}", nodes), chain_graph(nodes, 0ns), true});
    made.push_back({fmt::format("{} without edges", nodes), independent_graph(empties(nodes), {})});
    made.push_back({fmt::format("{} behind one", nodes), stars_graph(1, nodes, 0ns)});
  }
  for (const int nodes : {200, 900, 3600}) {
    made.push_back({fmt::format("{} between two", nodes), wave_graph(empties(nodes + 1), nodes, {}, {})});
    made.push_back({fmt::format("a stencil of {} columns and 10 steps", nodes / 10), stencil_graph(10, nodes / 10, 0ns)});
    made.push_back(
        {fmt::format("10 x {} nodes with 3 predecessors", nodes / 10), layered_graph({10, nodes / 10, 3, 0ns, 0ns, kLayersSeed})});
  }
  return made;
}

/// What a shape's calls took, and where it has no edges, a run of as many tasks of 4 us under stamps.
struct ShapeCalls {
  gpu::GraphCallTimes times;
  std::optional<gpu::Measurement> run;
};

std::vector<ShapeCalls> measure_calls(Probes& probes, const std::vector<Shape>& shapes) {
  std::vector<ShapeCalls> calls;
  for (const Shape& shape : shapes) {
    calls.push_back({probes.ask("calls on graphs", &CalibrationBackend::graph_calls, shape.graph), {}});
    if (shape.graph.edge_count() > 0) continue;
    const TaskGraph with_bodies = independent_graph(static_cast<int>(shape.graph.size()), spin_task(4us));
    calls.back().run = probes.run("graphs without edges", with_bodies, graph_design(), 5);
  }
  return calls;
}

template <class T>
struct RootSteps {
  T root{};
  T growth{};  ///< a doubling of the graph's nodes
  T node{};
  T call{};
  auto all() { return std::array{&root, &growth, &node, &call}; }

  double in_graph_of(std::size_t nodes) const { return root + assumed::kGraphLaunch.doublings(nodes) * growth; }
};

/// Between the starts of roots whose one successor is the same: the host comes to it before the last root alone.
void observe_joined_roots(Probes& probes, const auto& at_pace, Fit<RootSteps>& fit) {
  for (const int roots : {30, 100, 400}) {
    const TaskGraph graph = joined_graph(roots, spin_task(4us));
    const gpu::Measurement run = probes.run("graphs of joined roots", graph, graph_design(), 5);
    std::vector<TimePoint> starts;
    for (int root = 0; root + 1 < roots; ++root) starts.push_back(run.timeline.tasks[static_cast<std::size_t>(root)].started);
    const double interval = at_pace(start_interval(starts), run.host_call.count());
    probes.keep_sample(&Machine::graph_launch, &GraphLaunch::per_root, fmt::format("{} before one, start to start", roots), interval);
    fit.observe_relative({.root = 1, .growth = assumed::kGraphLaunch.doublings(graph.size())}, interval);
  }
}

/// How long the host takes over a root is both what a root adds to the call and the time between two of them. From graphs of nothing but
/// roots, and of roots before one node: a fit to all shapes is off by a fifth and more in some of them, which the roots' own time must not
/// make up for.
RootSteps<Estimate> fit_roots(Probes& probes, const std::vector<ShapeCalls>& calls, double pace) {
  const auto at_pace = [pace](double time, double host_call) { return host_call > 0 ? time * pace / host_call : time; };
  Fit<RootSteps> fit;
  for (const auto& [times, run] : calls) {
    if (!run) continue;
    const auto nodes = static_cast<double>(times.nodes);
    const double doublings = assumed::kGraphLaunch.doublings(times.nodes);
    std::vector<TimePoint> starts;
    for (const TaskTimes& task : run->timeline.tasks) starts.push_back(task.started);
    const double interval = at_pace(start_interval(starts), run->host_call.count());
    probes.keep_sample(&Machine::graph_launch, &GraphLaunch::per_root, fmt::format("{} without edges, start to start", times.nodes),
                       interval);
    fit.observe_relative({.root = 1, .growth = doublings}, interval);
    fit.observe_relative({.root = nodes, .growth = nodes * doublings, .node = nodes, .call = 1},
                         at_pace(times.launch_ns, times.host_call_ns));
  }
  observe_joined_roots(probes, at_pace, fit);
  return fit.solve();
}

/// The time of a launch call without its roots.
template <class T>
struct LaunchSteps {
  T call{};
  T node{};
  T leaf{};
  T inner{};
  T first_start{};  ///< call begun to the only root's start, where the host has nothing before it
  T inner_growth{};
  T edge{};
  auto all() { return std::array{&call, &node, &leaf, &inner, &first_start, &inner_growth, &edge}; }
};

/// Calls on all shapes, each brought to one pace of the host.
struct CallFits {
  RootSteps<Estimate> roots;
  Fit<LaunchSteps> launches = {};
  Fit<Slope> instantiations = {};  ///< by nodes, as those below
  Fit<Slope> updates = {};
  Fit<Slope> settings = {};

  void observe(Probes& probes, const Shape& shape, const gpu::GraphCallTimes& times, double slowdown);
  void observe_dense_layers(Probes& probes, const GraphLaunch& graphs);

 private:
  void observe_launch(Probes& probes, const Shape& shape, const gpu::GraphCallTimes& times, double slowdown);
};

void CallFits::observe(Probes& probes, const Shape& shape, const gpu::GraphCallTimes& times, double slowdown) {
  const auto nodes = static_cast<double>(times.nodes);
  const double ready = (times.instantiate_ns + times.upload_ns) / slowdown;
  const double update = times.update_ns / slowdown;
  const double set_nodes = times.set_nodes_ns / slowdown;
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::instantiate_per_node, shape.name, ready);
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::update_per_node, shape.name, update);
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::set_node, shape.name, set_nodes);
  observe_launch(probes, shape, times, slowdown);
  instantiations.observe_relative({.slope = nodes}, ready);
  if (update > 0) updates.observe_relative({.slope = nodes}, update);
  if (set_nodes > 0) settings.observe_relative({.slope = nodes}, set_nodes);
}

void CallFits::observe_launch(Probes& probes, const Shape& shape, const gpu::GraphCallTimes& times, double slowdown) {
  const auto nodes = static_cast<double>(times.nodes);
  const auto of_roots = static_cast<double>(times.roots);
  const double inner = shape.chain ? 0 : nodes - of_roots;
  const double growth = assumed::kGraphLaunch.doublings(times.nodes - times.roots) * inner;
  const double joins = static_cast<double>(shape.graph.edge_count()) - (nodes - of_roots);
  const double root = roots.in_graph_of(times.nodes);
  const double launch = times.launch_ns / slowdown;
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::launch, shape.name, launch);
  const bool interleaved = times.roots > 1 && inner > 0;  // the device's work on nodes delays the call
  if (!interleaved) {
    launches.observe_relative(
        {.call = 1, .node = nodes, .leaf = inner_leaves(shape.graph), .inner = inner, .inner_growth = growth, .edge = joins}, launch,
        of_roots * root);
  }
  if (times.roots != 1) return;
  // All that the call does before the last root delays the first start.
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::per_inner, shape.name + ", launch call begun to first start",
                     times.first_start_ns);
  const double more = slowdown - 1;
  launches.observe_relative(
      {.call = more, .inner = slowdown * inner, .first_start = 1, .inner_growth = slowdown * growth, .edge = slowdown * joins},
      times.first_start_ns, more * root);
}

/// Of layers that depend on all of the one before, where the host comes to all nodes before the last root: its start after that of the
/// root before.
void CallFits::observe_dense_layers(Probes& probes, const GraphLaunch& graphs) {
  constexpr int kWidth = 40;
  const TaskGraph graph = layered_graph({10, kWidth, kWidth, 4us, 4us, kLayersSeed});
  const gpu::Measurement run = probes.run("graphs of dense layers", graph, graph_design(), 5);
  const std::vector<TaskTimes>& tasks = run.timeline.tasks;
  const double step = ns(tasks[kWidth - 1].started - tasks[kWidth - 2].started) / slowdown_of(graphs, run);
  probes.keep_sample(&Machine::graph_launch, &GraphLaunch::per_edge,
                     "10 layers of 40 that await all 40, last root's start behind that of the one before", step);
  const auto inner = static_cast<double>(graph.size()) - kWidth;
  launches.observe_relative({.inner = inner,
                             .inner_growth = inner * assumed::kGraphLaunch.doublings(graph.size() - kWidth),
                             .edge = static_cast<double>(graph.edge_count()) - inner},
                            step, roots.in_graph_of(graph.size()));
}

void set_calls(const CallFits& fits, Calibrated<GraphLaunch>& graphs) {
  const std::string over = "over chains, stars, forks and joins and independent nodes, 200 to 10000, least relative squares";
  const LaunchSteps<Estimate> launch = fits.launches.solve();
  graphs.set(&GraphLaunch::launch, launch.call, "launch calls " + over);
  graphs.set(&GraphLaunch::per_node, launch.node, "launch calls " + over);
  graphs.set(&GraphLaunch::per_leaf, launch.leaf, "launch calls " + over);
  const std::string of_roots =
      "start to start and launch calls of 200 to 10000 independent nodes, and start to start of 30 to 400 before one, least relative "
      "squares";
  graphs.set(&GraphLaunch::per_root, fits.roots.root, of_roots);
  graphs.set(&GraphLaunch::root_growth, fits.roots.growth, of_roots);
  const std::string of_inner = "launch calls, and their begin to the start of the only root, " + over;
  graphs.set(&GraphLaunch::per_inner, launch.inner, of_inner);
  graphs.set(&GraphLaunch::inner_growth, launch.inner_growth, of_inner);
  graphs.set(&GraphLaunch::per_edge, launch.edge, "starts of the last two roots of dense layers, and launch calls " + over);
  graphs.set(&GraphLaunch::instantiate_per_node, fits.instantiations.solve().slope, "calls that instantiate and upload, " + over);
  graphs.set(&GraphLaunch::update_per_node, fits.updates.solve().slope, "calls that update in place and launch, less a launch, " + over);
  graphs.set(&GraphLaunch::set_node, fits.settings.solve().slope, "calls that set all nodes and launch, less a launch, " + over);
}

}  // namespace

double start_interval(std::span<const TimePoint> starts) {
  const auto [first, last] = std::ranges::minmax(starts);
  return ns(last - first) / static_cast<double>(starts.size() - 1);
}

/// A host is quicker at one time than at another, so all is brought to the pace of the median shape.
void calibrate_graph_calls(Probes& probes, Calibrated<GraphLaunch>& graphs) {
  const std::vector<Shape> all = shapes();
  const std::vector<ShapeCalls> calls = measure_calls(probes, all);
  std::vector<double> paces;
  for (const ShapeCalls& call : calls) paces.push_back(call.times.host_call_ns);
  const double pace = median(paces);
  graphs.set(&GraphLaunch::reference_launch, pace, "launches of a graph of 32 empty nodes between those of graph_launch.launch_ns, median");
  CallFits fits{.roots = fit_roots(probes, calls, pace)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double host_call = calls[i].times.host_call_ns;
    fits.observe(probes, all[i], calls[i].times, host_call > 0 && pace > 0 ? host_call / pace : 1);
  }
  fits.observe_dense_layers(probes, graphs);
  set_calls(fits, graphs);
}

Calibrated<GraphLaunch> calibrate_graph_launch(Probes& probes) {
  Calibrated<GraphLaunch> graphs(&Machine::graph_launch, assumed::kGraphLaunch);
  calibrate_graph_calls(probes, graphs);
  calibrate_graph_nodes(probes, graphs);
  graphs.assume(&GraphLaunch::near_nodes,
                "on the host of an H200 a node takes the call 7 ns in a graph of 364 nodes, 28 in one of 2600 and 43 in one of 10545");
  graphs.assume(&GraphLaunch::node_successors, "behind a node with seven successors the next one comes later");
  return graphs;
}

}  // namespace tasktwin::verify
