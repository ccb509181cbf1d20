#include "gpu/executors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/peers/programs/peer_program.hpp"
#include "gpu/peers/programs/peer_run.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/supported/supported.hpp"

namespace tasktwin::gpu {

namespace {

/// One graph over several devices: a node a task, made on the task's device, and an edge a dependency; or what stream capture makes of the
/// program of streams, which is how collectives come into a graph. Built, instantiated and uploaded beforehand, launched by one call a
/// replay; what cuda_graph.cpp does on one device.
class PeerGraphExecutor final : public Executor {
 public:
  explicit PeerGraphExecutor(const ExecutorInputs& inputs) : run_(inputs) {
    pace_.find_processor(stream_);
    for (int device = 0; device < run_.devices(); ++device) {
      const OnDevice on(device);
      side_streams_.emplace_back();
    }
    if (inputs.design.graph_source == GraphSource::kCapture) captured_.emplace(run_.inputs(), run_.kernels(), run_.operations());
  }

  RunResult run(RunMode mode) override {
    const int replays = run_.inputs().design.replays;
    if (mode != RunMode::kCheckOrder) return run_replays(mode, replays);
    RunResult sum;
    for (int replay = 0; replay < std::min(replays, 2); ++replay) {
      const RunResult result = run_replays(mode, 1);
      sum.makespan = result.makespan;
      sum.ordering_violations += result.ordering_violations;
    }
    return sum;
  }

  std::optional<Residual> check_result() override { return run_.kernels().check_result(); }

 private:
  RunResult run_replays(RunMode mode, int replays) {
    const ExecutableGraph& graph = executable(mode);
    const std::vector<cudaStream_t> sides(side_streams_.begin(), side_streams_.end());
    run_.reset(mode, sides);
    run_.kernels().take_origin(stream_);
    const auto host_origin = PeerRun::HostClock::now();
    for (int replay = 0; replay < replays; ++replay) check(cudaGraphLaunch(graph, stream_), "launching the graph");
    const auto host_end = PeerRun::HostClock::now();
    cudaStream_t only = stream_;
    const int first = 0;
    run_.await({&only, 1}, {&first, 1});

    RunResult result = run_.result(mode);
    if (mode != RunMode::kCheckOrder) {
      const double pace_before = std::exchange(last_pace_, pace_.call_ns(stream_));
      result.host_call_ns = last_pace_;
      result.host_disturbance = pace_before > 0 ? std::abs(last_pace_ / pace_before - 1) : 0;
    }
    if (mode != RunMode::kStamped) return result;
    result.timeline.cores = run_.compute_cores();
    result.timeline.core_devices = run_.compute_core_devices();
    result.timeline.roles = {ControlRole::kHost};
    result.timeline.dispatchers = {{{TimePoint{}, PeerRun::since(host_origin, host_end)}}};
    run_.take_transfers(result);
    return result;
  }

  const ExecutableGraph& executable(RunMode mode) {
    std::optional<ExecutableGraph>& made = executables_[static_cast<std::size_t>(mode)];
    if (made) return *made;
    if (captured_ && !warm_) warm_up();
    const CudaGraph graph(captured_ ? captured_->capture(mode) : build(mode));
    made.emplace(graph);
    check(cudaGraphUpload(*made, stream_), "uploading the graph");
    check(cudaStreamSynchronize(stream_), "uploading the graph");
    return *made;
  }

  /// Collectives connect their devices when they are first called, which is not to be in a capture.
  void warm_up() {
    warm_ = true;
    captured_.value().submit(RunMode::kPlain);
    for (int device = 0; device < run_.devices(); ++device) {
      const OnDevice on(device);
      check(cudaDeviceSynchronize(), "running the program of the graph");
    }
  }

  /// A node belongs to the device that is current when it is added.
  cudaGraph_t build(RunMode mode) {
    const TaskGraph& tasks = run_.inputs().graph;
    CudaGraph graph;
    std::vector<cudaGraphNode_t> nodes(tasks.size());
    std::vector<cudaGraphNode_t> after;
    for (const TaskId task : tasks.topological_order()) {
      after.clear();
      for (const TaskId before : tasks.predecessors(task)) {
        if (!run_.inputs().options.ignores(before, task)) after.push_back(nodes[index(before)]);
      }
      const int device = tasks[task].device;
      const OnDevice on(device);
      nodes[index(task)] = tasks[task].operation == Operation::kKernel
                               ? run_.kernels().add_node(graph, run_.kernels().describe(device, mode), task, after)
                               : run_.operations()->add_copy(graph, task, mode, after);
      if (tasks[task].operation != Operation::kKernel && tasks.out_degree(task) == 0)
        run_.operations()->add_end(graph, nodes[index(task)], device, mode);
    }
    return graph.release();
  }

  PeerRun run_;
  Stream stream_;
  std::vector<Stream> side_streams_;  ///< by device: what is done there between two runs
  GraphPace pace_;
  double last_pace_ = 0;  ///< after the last run; 0 before the first
  std::optional<PeerProgram> captured_;
  bool warm_ = false;
  std::array<std::optional<ExecutableGraph>, 3> executables_;  ///< by RunMode
};

}  // namespace

std::unique_ptr<Executor> make_peer_graph(const ExecutorInputs& inputs) { return std::make_unique<PeerGraphExecutor>(inputs); }

}  // namespace tasktwin::gpu
