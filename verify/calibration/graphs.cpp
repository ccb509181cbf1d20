#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "models/as_run.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/statistics.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

Design graph_design(int replays = 1, ProgrammaticLaunch programmatic = ProgrammaticLaunch::kOff) {
  Design design = named_design("cuda-graph");
  design.replays = replays;
  design.programmatic_launch = programmatic;
  return design;
}

/// How many times as long as the machine says the host took over a run's calls.
double slowdown_of(const Calibration& calibration, const gpu::Measurement& run) {
  return host_slowdown(graph_design(), calibration.machine(), run.host_call);
}

/// Mean time between two starts, in ns. Contract: two tasks or more.
double start_interval(const Timeline& timeline, std::span<const TaskId> tasks) {
  std::vector<TimePoint> starts;
  for (const TaskId task : tasks) starts.push_back(timeline.tasks[index(task)].started);
  const auto [first, last] = std::ranges::minmax(starts);
  return ns(last - first) / static_cast<double>(tasks.size() - 1);
}

template <class Tasks>
TimePoint first_start(const Timeline& timeline, const Tasks& tasks) {
  TimePoint first = TimePoint::max();
  for (const TaskId task : tasks) first = std::min(first, timeline.tasks[index(task)].started);
  return first;
}

/// From each task's end to its successor's start along a chain, trimmed mean in ns.
Estimate chain_gap(const Timeline& timeline) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) gaps.push_back(ns(timeline.tasks[i].started - timeline.tasks[i - 1].ended));
  return trimmed_mean(gaps);
}

std::vector<TaskId> all_tasks(std::size_t count) {
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(task_id(i));
  return tasks;
}

std::vector<TaskId> all_tasks(const TaskGraph& graph) { return all_tasks(graph.size()); }

/// Nodes with predecessors and no successors.
double inner_leaves(const TaskGraph& graph) {
  const auto is_one = [&graph](TaskId task) { return graph.in_degree(task) > 0 && graph.out_degree(task) == 0; };
  return static_cast<double>(std::ranges::count_if(all_tasks(graph), is_one));
}

constexpr std::uint64_t kLayersSeed = 0xca11'96a9;  // no scenario has it

struct Shape {
  std::string name;
  TaskGraph graph;
  bool chain = false;
};

/// Chains, nodes behind one and without edges, 200 to 10000 of them; nodes between two, and layers in order and drawn, 200 to 3600.
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

std::vector<ShapeCalls> measure_calls(Calibration& calibration, const std::vector<Shape>& shapes) {
  std::vector<ShapeCalls> calls;
  for (const Shape& shape : shapes) {
    calls.push_back({calibration.graph_calls("calls on graphs", shape.graph), {}});
    if (shape.graph.edge_count() > 0) continue;
    const TaskGraph with_bodies = independent_graph(static_cast<int>(shape.graph.size()), spin_task(4us));
    calls.back().run = calibration.run("graphs without edges", with_bodies, graph_design(), 5);
  }
  return calls;
}

/// How long the host takes over a root.
struct RootTime {
  Estimate root;
  Estimate growth;  ///< a doubling of the graph's nodes

  double in_graph_of(std::size_t nodes) const { return root.value + assumed::kGraphLaunch.doublings(nodes) * growth.value; }
};

/// It is both what a root adds to the call and the time between two of them. From graphs of nothing but roots: a fit to all shapes is off
/// by a fifth and more in some of them, which the roots' own time must not make up for.
RootTime fit_root_time(Calibration& calibration, const std::vector<ShapeCalls>& calls, double pace) {
  const auto at_pace = [pace](double time, double host_call) { return host_call > 0 ? time * pace / host_call : time; };
  std::vector<Observation> observations;
  for (const auto& [times, run] : calls) {
    if (!run) continue;
    const auto nodes = static_cast<double>(times.nodes);
    const double doublings = assumed::kGraphLaunch.doublings(times.nodes);
    const double interval = at_pace(start_interval(run->timeline, all_tasks(times.nodes)), run->host_call.count());
    calibration.keep_sample("graph_launch.per_root_ns", fmt::format("{} without edges, start to start", times.nodes), interval);
    observations.push_back(relative({1.0, doublings, 0.0, 0.0}, interval));
    observations.push_back(relative({nodes, nodes * doublings, nodes, 1.0}, at_pace(times.launch_ns, times.host_call_ns)));
  }
  const std::vector<Estimate> fitted = fit_constants(observations);
  return {fitted[0], fitted[1]};
}

/// What took `value` beside `known` of it, by relative errors of all of it.
Observation beside(double known, std::vector<double> weights, double value) {
  Observation observation = relative(std::move(weights), value);
  observation.value -= known / value;
  return observation;
}

/// Of layers that depend on all of the one before, where the host comes to all nodes before the last root: its start behind that of the
/// root before.
Observation dense_layers(Calibration& calibration, const RootTime& root_time) {
  constexpr int kWidth = 40;
  const TaskGraph graph = layered_graph({10, kWidth, kWidth, 4us, 4us, kLayersSeed});
  const gpu::Measurement run = calibration.run("graphs of dense layers", graph, graph_design(), 5);
  const std::vector<TaskTimes>& tasks = run.timeline.tasks;
  const double step = ns(tasks[kWidth - 1].started - tasks[kWidth - 2].started) / slowdown_of(calibration, run);
  calibration.keep_sample("graph_launch.per_edge_ns", "10 layers of 40 that await all 40, last root's start behind that of the one before",
                          step);
  const auto inner = static_cast<double>(graph.size()) - kWidth;
  const double joins = static_cast<double>(graph.edge_count()) - inner;
  return beside(root_time.in_graph_of(graph.size()),
                {0.0, 0.0, 0.0, inner, 0.0, inner * assumed::kGraphLaunch.doublings(graph.size() - kWidth), joins}, step);
}

/// A host is quicker at one time than at another, so all is brought to the pace of the median shape.
void calibrate_graph_calls(Calibration& calibration) {
  std::vector<Observation> launches;
  std::vector<Observation> instantiations;
  std::vector<Observation> updates;
  std::vector<Observation> settings;
  const std::vector<Shape> all = shapes();
  const std::vector<ShapeCalls> calls = measure_calls(calibration, all);
  std::vector<double> paces;
  for (const ShapeCalls& call : calls) paces.push_back(call.times.host_call_ns);
  const double pace = median(paces);
  calibration.set("graph_launch.reference_launch_ns", pace,
                  "launches of a graph of 32 empty nodes between those of graph_launch_ns, median");
  const RootTime root_time = fit_root_time(calibration, calls, pace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Shape& shape = all[i];
    const gpu::GraphCallTimes& times = calls[i].times;
    const double slowdown = times.host_call_ns > 0 && pace > 0 ? times.host_call_ns / pace : 1;
    const auto call = [slowdown](double time) { return time / slowdown; };
    const auto nodes = static_cast<double>(times.nodes);
    const auto roots = static_cast<double>(times.roots);
    const double leaves = inner_leaves(shape.graph);
    const double inner = shape.chain ? 0 : nodes - roots;
    const double doublings = assumed::kGraphLaunch.doublings(times.nodes - times.roots);
    const double root = root_time.in_graph_of(times.nodes);
    const double joins = static_cast<double>(shape.graph.edge_count()) - (nodes - roots);
    const bool interleaved = times.roots > 1 && inner > 0;  // the device's work on nodes holds the call up
    const double ready = call(times.instantiate_ns + times.upload_ns);
    calibration.keep_sample("graph_launch.launch_ns", shape.name, call(times.launch_ns));
    calibration.keep_sample("graph_launch.instantiate_ns", shape.name, ready);
    calibration.keep_sample("graph_launch.update_ns", shape.name, call(times.update_ns));
    calibration.keep_sample("graph_launch.set_node_ns", shape.name, call(times.set_nodes_ns));
    if (!interleaved) {
      launches.push_back(beside(roots * root, {1.0, nodes, leaves, inner, 0.0, doublings * inner, joins}, call(times.launch_ns)));
    }
    if (times.roots == 1) {  // all that the call does before the last root delays the first start
      calibration.keep_sample("graph_launch.per_inner_ns", shape.name + ", launch call begun to first start", times.first_start_ns);
      const double more = slowdown - 1;
      launches.push_back(beside(more * root, {more, 0.0, 0.0, slowdown * inner, 1.0, slowdown * doublings * inner, slowdown * joins},
                                times.first_start_ns));
    }
    instantiations.push_back(relative({1.0, nodes}, ready));
    if (times.update_ns > 0) updates.push_back(relative({1.0, nodes}, call(times.update_ns)));
    if (times.set_nodes_ns > 0) settings.push_back(relative({nodes}, call(times.set_nodes_ns)));
  }
  launches.push_back(dense_layers(calibration, root_time));
  const std::string over = "over chains, stars, forks and joins and independent nodes, 200 to 10000, least relative squares";
  const std::vector<Estimate> launch = fit_constants(launches);
  calibration.set("graph_launch.launch_ns", launch[0], "launch calls " + over);
  calibration.set("graph_launch.per_node_ns", launch[1], "launch calls " + over);
  calibration.set("graph_launch.per_leaf_ns", launch[2], "launch calls " + over);
  const std::string of_roots = "start to start and launch calls of 200 to 10000 independent nodes, least relative squares";
  calibration.set("graph_launch.per_root_ns", root_time.root, of_roots);
  calibration.set("graph_launch.root_growth_ns", root_time.growth, of_roots);
  calibration.set("graph_launch.per_inner_ns", launch[3], "launch calls, and their begin to the start of the only root, " + over);
  calibration.set("graph_launch.per_edge_ns", launch[6], "starts of the last two roots of dense layers, and launch calls " + over);
  calibration.set("graph_launch.inner_growth_ns", launch[5], "launch calls, and their begin to the start of the only root, " + over);
  const std::vector<Estimate> ready = fit_constants(instantiations);
  calibration.set("graph_launch.instantiate_ns", ready[0], "calls that instantiate and upload, " + over);
  calibration.set("graph_launch.instantiate_per_node_ns", ready[1], "calls that instantiate and upload, " + over);
  if (!updates.empty()) {
    const std::vector<Estimate> update = fit_constants(updates);
    calibration.set("graph_launch.update_ns", update[0], "calls that update in place and launch, less a launch, " + over);
    calibration.set("graph_launch.update_per_node_ns", update[1], "calls that update in place and launch, less a launch, " + over);
  }
  if (!settings.empty())
    calibration.set("graph_launch.set_node_ns", fit_constants(settings)[0], "calls that set all nodes and launch, less a launch, " + over);
}

/// Gates and what they hold back: starts behind a gate, and a gate's start behind the ends it waits for.
void calibrate_gates(Calibration& calibration, double gap) {
  std::vector<double> services;
  constexpr int kKept = assumed::kGraphLaunch.node_successors;
  std::vector<double> behind;  // a gate
  std::vector<Observation> joins{relative({1.0, 0.0}, gap)};
  for (const int width : {4, 12, 40, 90}) {
    const TaskGraph graph = wave_graph(std::vector<Task>(static_cast<std::size_t>(10 * width), spin_task(2us)), width, {}, {});
    const Timeline timeline = calibration.run("graphs of waves", graph, graph_design(), 3).timeline;
    std::vector<double> intervals;
    std::vector<double> gaps;
    for (const TaskId task : all_tasks(graph)) {
      if (graph.out_degree(task) > 1) {
        const auto wave = graph.successors(task);
        intervals.push_back(start_interval(timeline, std::vector<TaskId>(wave.begin(), wave.end())));
        if (width > kKept) behind.push_back(ns(first_start(timeline, wave) - timeline.tasks[index(task)].ended));
      }
      if (graph.in_degree(task) < 2) continue;
      TimePoint last{};
      for (const TaskId before : graph.predecessors(task)) last = std::max(last, timeline.tasks[index(before)].ended);
      gaps.push_back(ns(timeline.tasks[index(task)].started - last));
    }
    const double join = trimmed_mean(gaps);
    calibration.keep_sample("graph_launch.join_ns", fmt::format("ended to started behind {} nodes", width), join);
    joins.push_back(relative({1.0, width - 1.0}, join));
    if (width <= kKept) continue;  // too few starts for an interval
    services.push_back(trimmed_mean(intervals));
    calibration.keep_sample("graph_launch.service_ns", fmt::format("start to start of {} behind a gate", width), services.back());
  }
  const std::vector<Estimate> fitted = fit_constants(joins);
  calibration.set("graph_launch.gap_ns", fitted[0], "ended to started along a chain of 10 us nodes and behind 4 to 90 nodes, intercept");
  calibration.set("graph_launch.join_ns", fitted[1], "ended to started along a chain of 10 us nodes and behind 4 to 90 nodes, slope");
  calibration.set("graph_launch.service_ns", trimmed_mean(services), "start to start of 12 to 90 nodes behind a gate");
  calibration.set("graph_launch.fetch_ns", trimmed_mean(behind) - calibration.get("graph_launch.gap_ns"),
                  "ended to first start behind gates of 12 to 90 nodes, less graph_gap_ns");
}

/// Of a stencil wider than the device keeps up with: the starts of the later half, by ends that made them ready.
double release_interval(const Timeline& timeline, const TaskGraph& graph) {
  const auto started = [&timeline](TaskId task) { return timeline.tasks[index(task)].started; };
  std::vector<TaskId> tasks = all_tasks(graph);
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
double time_between_roots(const Calibration& calibration, const gpu::Measurement& run, const TaskGraph& graph, int layers, int columns) {
  const auto started = [&run](int column) { return run.timeline.tasks[static_cast<std::size_t>(column)].started; };
  const double interval = ns(started(columns - 2) - started(layers)) / (columns - 2 - layers) / slowdown_of(calibration, run);
  const double root = (calibration.machine().graph_launch->per_root +
                       assumed::kGraphLaunch.doublings(graph.size()) * calibration.machine().graph_launch->root_growth)
                          .count();
  const double inner =
      (calibration.machine().graph_launch->per_inner + 2 * calibration.machine().graph_launch->per_edge +
       assumed::kGraphLaunch.doublings(graph.size() - static_cast<std::size_t>(columns)) * calibration.machine().graph_launch->inner_growth)
          .count();
  return std::max(0.0, (interval - root) / (layers - 1) - inner);
}

void calibrate_releases(Calibration& calibration) {
  constexpr int kLayers = 40;
  constexpr int kColumns = 128;
  const auto run = [&calibration](const TaskGraph& graph) { return calibration.run("graphs of stencils", graph, graph_design(), 3); };
  const std::string method = "starts of the later half of a stencil of 128 columns and 40 steps, by ends that made them ready";
  const TaskGraph behind_one = stencil_behind_one(kLayers, kColumns, 2us);
  calibration.set("graph_launch.release_ns", release_interval(run(behind_one).timeline, behind_one), method + ", behind one node");
  // Of tasks that take longer, so that many steps are under way at a time to the end.
  const TaskGraph stencil = stencil_graph(kLayers, kColumns, 20us);
  const gpu::Measurement among = run(stencil);
  calibration.set("graph_launch.release_among_ns", release_interval(among.timeline, stencil), method);
  calibration.set("graph_launch.between_ns", time_between_roots(calibration, among, stencil, kLayers, kColumns),
                  "start to start of the later roots of a stencil of 128 columns and 40 steps, a node before each");
}

/// The same tasks in a graph and on resident cores.
void calibrate_launched_bodies(Calibration& calibration, const Timeline& launched) {
  Design lists = named_design("static-queues");
  const Timeline resident = calibration.run("tasks of a chain", chain_graph(300, 10us), lists, 3).timeline;
  const auto mean = [](const Timeline& timeline) {
    std::vector<double> bodies;
    for (const TaskTimes& task : timeline.tasks) bodies.push_back(ns(task.ended - task.started));
    return trimmed_mean(bodies);
  };
  calibration.set("launched_kernels.body_ns", mean(launched) - mean(resident),
                  "started to ended along a chain of 10 us, nodes of a graph less tasks on resident cores");
}

void calibrate_replays(Calibration& calibration) {
  const TaskGraph chain = chain_graph(12, 10us);
  std::vector<double> latencies;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Timeline timeline = calibration.run("a single graph launch", chain, graph_design(), 1).timeline;
    latencies.push_back(static_cast<double>(to_ns(timeline.tasks.front().started)));
  }
  const double latency = trimmed_mean(latencies);
  calibration.set("graph_launch.latency_ns", latency, "launch call begun to first start of chains of 12 nodes on an idle device");

  constexpr int kReplays = 100;
  std::vector<double> gaps;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Timeline last = calibration.run("a graph launched again and again", chain, graph_design(kReplays), 1).timeline;
    const TimePoint began = last.tasks.front().started;
    const double period = (static_cast<double>(to_ns(began)) - latency) / (kReplays - 1);
    gaps.push_back(period - ns(last.tasks.back().ended - began));
    calibration.keep_sample("graph_launch.replay_gap_ns", fmt::format("{} replays of a chain of 12 nodes", kReplays), gaps.back());
  }
  calibration.set("graph_launch.replay_gap_ns", trimmed_mean(gaps),
                  "a hundred replays of a chain of 12 nodes of 10 us, less the chain itself");
}

/// The same constant for streams and graphs.
void calibrate_programmatic_launches(Calibration& calibration) {
  const TaskGraph chain = chain_graph(300, 30us);
  Design streams = named_design("cuda-streams");
  streams.streams = 1;
  streams.programmatic_launch = ProgrammaticLaunch::kOn;
  const double by_stream = chain_gap(calibration.run("programmatic launches in a stream", chain, streams, 3).timeline);
  const double by_graph =
      chain_gap(calibration.run("programmatic launches in a graph", chain, graph_design(1, ProgrammaticLaunch::kOn), 3).timeline);
  calibration.keep_sample("streams.programmatic_gap_ns", "in one stream", by_stream);
  calibration.keep_sample("streams.programmatic_gap_ns", "in a graph", by_graph);
  calibration.set("streams.programmatic_gap_ns", (by_stream + by_graph) / 2,
                  "ended to started along a chain of 30 us kernels launched programmatically, mean of stream and graph");
}

}  // namespace

void calibrate_graphs(Calibration& calibration) {
  calibrate_graph_calls(calibration);
  const Timeline chain = calibration.run("nodes of a chain", chain_graph(300, 10us), graph_design(), 3).timeline;
  calibrate_gates(calibration, chain_gap(chain));
  calibrate_releases(calibration);
  calibrate_launched_bodies(calibration, chain);
  calibrate_replays(calibration);
  calibrate_programmatic_launches(calibration);
}

}  // namespace tasktwin::verify
