#include "gpu/executors/cuda_graph.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "gpu/cuda_graph.hpp"
#include "gpu/stream.hpp"
#include "gpu/streams/task_kernels.hpp"
#include "gpu/task_support.hpp"
#include "gpu/watchdog.hpp"

namespace tasktwin::gpu {

namespace {

using HostClock = std::chrono::steady_clock;

/// One graph with a kernel node a task, the same kernel that the design cuda-streams launches, and an edge a dependency; built,
/// instantiated and uploaded once, launched by one call a run. The run's origin is that call; which task is handed over when
/// is not observed. A node's parameters are part of the graph, so each mode has one of its own, made when it is first run.
///
/// The simulator has no twin of it yet.
class CudaGraphExecutor final : public Executor {
 public:
  explicit CudaGraphExecutor(const ExecutorInputs& inputs) : inputs_(inputs), kernels_(inputs) {}

  RunResult run(RunMode mode) override {
    const ExecutableGraph& graph = instantiated(mode);
    kernels_.reset(stream_);
    kernels_.take_origin(stream_);
    const HostClock::time_point host_origin = HostClock::now();
    check(cudaGraphLaunch(graph, stream_), "launching the graph");
    const HostClock::time_point host_end = HostClock::now();
    if (!await_completion(stream_, inputs_.options.watchdog, [] { return std::uint64_t{0}; })) {
      throw RunError("the graph did not end within " + std::to_string(inputs_.options.watchdog.count()) +
                     " ms: a task's body does not end, or the graph is longer than the watchdog allows");
    }

    RunResult result = kernels_.result(mode);
    if (mode == RunMode::kStamped) {
      result.timeline.cores.assign(core_count(result.timeline), CoreType::kSm);
      result.timeline.roles = {ControlRole::kHost};
      result.timeline.dispatchers = {{{TimePoint{}, TimePoint{} + std::chrono::duration_cast<Duration>(host_end - host_origin)}}};
    }
    return result;
  }

  std::optional<Residual> check_result() override { return kernels_.check_result(); }

 private:
  const ExecutableGraph& instantiated(RunMode mode) {
    std::optional<ExecutableGraph>& executable = executables_[static_cast<std::size_t>(mode)];
    if (!executable) {
      CudaGraph graph;
      add_tasks(graph, kernels_.describe(mode));
      executable.emplace(graph);
      check(cudaGraphUpload(*executable, stream_), "uploading the graph");
      stream_.synchronize();
    }
    return *executable;
  }

  void add_tasks(const CudaGraph& graph, const StreamRun& run) const {
    std::vector<cudaGraphNode_t> nodes(inputs_.graph.size());
    std::vector<cudaGraphNode_t> after;
    for (const TaskId task : inputs_.graph.topological_order()) {
      after.clear();
      for (const TaskId before : inputs_.graph.predecessors(task)) {
        if (!inputs_.options.ignores(before, task)) after.push_back(nodes[index(before)]);
      }
      nodes[index(task)] = add_task_node(graph, run, static_cast<std::uint32_t>(task), kernels_.blocks(task), after);
    }
  }

  /// Where bodies ran: the machine's SMs, or more where the device has more.
  std::size_t core_count(const Timeline& timeline) const {
    std::size_t count = worker_cores(inputs_.design, inputs_.machine).size();
    for (const TaskTimes& times : timeline.tasks) count = std::max(count, index(times.core) + 1);
    for (const BlockTimes& block : timeline.blocks) count = std::max(count, index(block.core) + 1);
    return count;
  }

  ExecutorInputs inputs_;
  TaskKernels kernels_;
  Stream stream_;
  std::array<std::optional<ExecutableGraph>, 3> executables_;  ///< by RunMode
};

}  // namespace

const ExecutorEntry kCudaGraphExecutor{
    [](const Design& design) { return design.driver == Driver::kCudaGraph; },
    [](const TaskGraph& graph, const Machine&, const Design&) { return why_no_task(graph, {.blocks = true, .spawned = false}); },
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<CudaGraphExecutor>(inputs); }};

}  // namespace tasktwin::gpu
