#include <algorithm>
#include <memory>
#include <optional>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/steadiest.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/launch_probes.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/task_kernels/task_kernels.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kMostRepeats = 7;
constexpr int kFewestRepeats = 2;
constexpr std::size_t kNodesInAll = 4500;  ///< as many repeats as graphs of that many nodes in all take: large ones vary less
constexpr int kTries = 2;
constexpr int kLaunches = 3;  // of each executable graph

struct Samples {
  std::vector<double> host_call;
  std::vector<double> build;
  std::vector<double> instantiate;
  std::vector<double> upload;
  std::vector<double> launch;
  std::vector<double> first_launch;
  std::vector<double> set_nodes;  // and a launch after it
  std::vector<double> update;     // and a launch after it
  std::vector<double> first_start;
  std::vector<double> makespan;
};

class GraphProbe {
 public:
  explicit GraphProbe(const TaskGraph& graph) : graph_(graph), kernels_({graph_, machine_, design_, options_}) {
    pace_.find_processor(stream_);
  }

  GraphCallTimes measure() {
    samples_ = steadiest(
        kSteadyPace, [this] { return take(); }, [](const Samples& taken) { return middle_spread(taken.host_call); }, kTries);
    GraphCallTimes times;
    times.nodes = graph_.size();
    for (std::size_t i = 0; i < graph_.size(); ++i) times.roots += graph_.in_degree(task_id(i)) == 0 ? 1 : 0;
    times.host_call_ns = median(samples_.host_call);
    times.build_ns = median(samples_.build);
    times.instantiate_ns = median(samples_.instantiate);
    times.upload_ns = median(samples_.upload);
    times.launch_ns = median(samples_.launch);
    times.first_launch_ns = median(samples_.first_launch);
    times.set_nodes_ns = std::max(0.0, median(samples_.set_nodes) - times.launch_ns);
    times.update_ns = std::max(0.0, median(samples_.update) - times.launch_ns);
    times.first_start_ns = median(samples_.first_start);
    times.makespan_ns = median(samples_.makespan);
    return times;
  }

 private:
  Samples take() {
    samples_ = {};
    const std::size_t affordable = kNodesInAll / std::max<std::size_t>(1, graph_.size());
    const int repeats = static_cast<int>(std::clamp<std::size_t>(affordable, kFewestRepeats, kMostRepeats));
    for (int repeat = 0; repeat < repeats; ++repeat) measure_once();
    return samples_;
  }

  void measure_once() {
    CudaGraph graph;
    std::vector<cudaGraphNode_t> nodes(graph_.size());
    samples_.build.push_back(host_time_ns([&] { build(graph, nodes); }));
    {
      const ExecutableGraph fresh(graph);
      samples_.first_launch.push_back(launch(fresh));
      await();
    }
    std::optional<ExecutableGraph> executable;
    samples_.instantiate.push_back(host_time_ns([&] { executable.emplace(graph); }));
    samples_.upload.push_back(host_time_ns([&] { check(cudaGraphUpload(*executable, stream_), "uploading a graph"); }));
    await();
    launch(*executable);
    await();
    for (int i = 0; i < kLaunches; ++i) measure_launch(*executable);
    const std::vector<cudaKernelNodeParams> parameters = parameters_of(nodes);
    for (int i = 0; i < kLaunches; ++i) {
      const double set = host_time_ns([&] { set_parameters(*executable, nodes, parameters); });
      samples_.set_nodes.push_back(set + launch(*executable));
      await();
    }
    samples_.host_call.push_back(pace_.call_ns(stream_));
    for (int i = 0; i < kLaunches; ++i) {
      const double update = host_time_ns([&] {
        cudaGraphExecUpdateResultInfo result{};
        check(cudaGraphExecUpdate(*executable, graph, &result), "updating a graph");
      });
      samples_.update.push_back(update + launch(*executable));
      await();
    }
  }

  void build(cudaGraph_t graph, std::vector<cudaGraphNode_t>& nodes) const {
    const StreamRun run = kernels_.describe(RunMode::kStamped);
    std::vector<cudaGraphNode_t> after;
    for (const TaskId task : graph_.topological_order()) {
      after.clear();
      for (const TaskId before : graph_.predecessors(task)) after.push_back(nodes[index(before)]);
      nodes[index(task)] = add_task_node(graph, run, kernels_.launch(task), after);
    }
  }

  double launch(cudaGraphExec_t executable) const {
    return host_time_ns([&] { check(cudaGraphLaunch(executable, stream_), "launching a graph"); });
  }

  void measure_launch(cudaGraphExec_t executable) {
    kernels_.reset(stream_);
    kernels_.take_origin(stream_);
    samples_.launch.push_back(launch(executable));
    await();
    const RunResult result = kernels_.result(RunMode::kStamped);
    TimePoint first = TimePoint::max();
    for (const TaskTimes& times : result.timeline.tasks) first = std::min(first, times.started);
    samples_.first_start.push_back(static_cast<double>(to_ns(first)));
    samples_.makespan.push_back(static_cast<double>(result.makespan.count()));
  }

  /// What they point to belongs to the graph.
  static std::vector<cudaKernelNodeParams> parameters_of(const std::vector<cudaGraphNode_t>& nodes) {
    std::vector<cudaKernelNodeParams> parameters;
    for (const cudaGraphNode_t node : nodes)
      check(cudaGraphKernelNodeGetParams(node, &parameters.emplace_back()), "asking for a node's parameters");
    return parameters;
  }

  static void set_parameters(cudaGraphExec_t executable, const std::vector<cudaGraphNode_t>& nodes,
                             const std::vector<cudaKernelNodeParams>& parameters) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      check(cudaGraphExecKernelNodeSetParams(executable, nodes[i], &parameters[i]), "setting a node's parameters");
  }

  void await() const {
    if (await_completion(stream_, options_.watchdog, [] { return std::uint64_t{0}; })) return;
    throw UnendedRun("probing graphs: one of " + std::to_string(graph_.size()) + " nodes did not end within " +
                     std::to_string(options_.watchdog.count()) + " ms");
  }

  const TaskGraph& graph_;
  Machine machine_;
  Design design_ = named_design("cuda-graph");
  RunOptions options_;
  TaskKernels kernels_;
  Stream stream_;
  GraphPace pace_;
  Samples samples_;
};

}  // namespace

GraphCallTimes probe_graph_calls(const TaskGraph& graph) {
  return use_or_leave(std::make_unique<GraphProbe>(graph), [](GraphProbe& probe) { return probe.measure(); });
}

}  // namespace tasktwin::gpu
