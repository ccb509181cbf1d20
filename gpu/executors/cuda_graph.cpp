#include "gpu/executors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/operations/operations.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"
#include "gpu/streams/graph_program.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/streams/stream_set.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

namespace {

using HostClock = std::chrono::steady_clock;

/// Builds one graph with a node per task and an edge per dependency, or captures it from the program of driver `streams`. A node is the
/// kernel that cuda-streams launches, an operation (Operations), or a conditional node for a task with a predicate (add_conditional_node).
/// The graph is instantiated and uploaded before the run, and launched by one call a replay, after the design's graph_update for each but
/// the first. The run's origin is the first call; when a task is handed over is not observed. A run of several replays is timed as a
/// whole, its phases are those of the last, and order is checked in each of the first two separately. Since a node's parameters are part
/// of the graph, each mode has a graph of its own, made when it is first run.
class CudaGraphExecutor final : public Executor {
 public:
  explicit CudaGraphExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        operations_(inputs.graph.has_operations() ? std::make_unique<Operations>(inputs) : nullptr),
        kernels_(inputs),
        ends_with_operation_(ends_with_operation(inputs.graph)) {
    pace_.find_processor(stream_);
    if (inputs.design.graph_source == GraphSource::kCapture) {
      captured_.emplace(inputs, kernels_, operations_.get());
    } else if (!inputs.design.sets.empty()) {
      auto partition = std::make_unique<SmPartition>(std::span<const NamedCores>(inputs.design.sets));
      std::vector<int> shares(static_cast<std::size_t>(partition->shares()));
      std::iota(shares.begin(), shares.end(), 0);
      sets_.emplace(std::move(partition), shares);
    }
  }

  RunResult run(RunMode mode) override {
    if (mode != RunMode::kCheckOrder) return run_replays(mode, 0, inputs_.design.replays);
    RunResult sum;
    for (int replay = 0; replay < std::min(inputs_.design.replays, 2); ++replay) {
      const RunResult result = run_replays(mode, replay, replay + 1);
      sum.makespan = result.makespan;
      sum.ordering_violations += result.ordering_violations;
    }
    return sum;
  }

  std::optional<Residual> check_result() override { return kernels_.check_result(); }

 private:
  RunResult run_replays(RunMode mode, int first, int end) {
    GraphProgram& graph = program(mode);
    if (operations_) operations_->reset(mode, stream_);
    kernels_.reset(stream_);
    kernels_.take_origin(stream_);
    const HostClock::time_point host_origin = HostClock::now();
    for (int replay = first; replay < end; ++replay) {
      if (replay > 0) graph.update();
      graph.launch();
    }
    const HostClock::time_point host_end = HostClock::now();
    if (ends_with_operation_) operations_->record_end({0, stream_});
    if (!await_completion(stream_, inputs_.options.watchdog, [] { return std::uint64_t{0}; })) {
      throw UnendedRun("the graph did not end within " + std::to_string(inputs_.options.watchdog.count()) +
                       " ms: a task's body does not end, or the graph or its replays take longer than the watchdog allows");
    }
    graph.forget_replaced();

    RunResult result = kernels_.result(mode);
    if (mode != RunMode::kCheckOrder) {
      const double pace_before = std::exchange(last_pace_, pace_.call_ns(stream_));
      result.host_call_ns = last_pace_;
      result.host_disturbance = pace_before > 0 ? std::abs(last_pace_ / pace_before - 1) : 0;
    }
    if (mode == RunMode::kStamped) {
      result.timeline.cores.assign(core_count(result.timeline), CoreType::kSm);
      result.timeline.roles = {ControlRole::kHost};
      result.timeline.dispatchers = {{{TimePoint{}, TimePoint{} + std::chrono::duration_cast<Duration>(host_end - host_origin)}}};
    }
    if (operations_) operations_->complete(result, mode, kernels_, host_origin);
    return result;
  }

  GraphProgram& program(RunMode mode) {
    std::optional<GraphProgram>& program = programs_[static_cast<std::size_t>(mode)];
    if (!program)
      program.emplace(inputs_, kernels_, mode, captured_ ? &*captured_ : nullptr, operations_.get(), sets_ ? &*sets_ : nullptr, stream_);
    return *program;
  }

  static bool ends_with_operation(const TaskGraph& graph) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph[task_id(i)].operation != Operation::kKernel && graph.out_degree(task_id(i)) == 0) return true;
    }
    return false;
  }

  /// Where bodies ran: the machine's SMs, or more where the device has more.
  std::size_t core_count(const Timeline& timeline) const {
    std::size_t count = worker_cores(inputs_.design, inputs_.machine).size();
    for (const TaskTimes& times : timeline.tasks) count = std::max(count, index(times.core) + 1);
    for (const BlockTimes& block : timeline.blocks) count = std::max(count, index(block.core) + 1);
    return count;
  }

  ExecutorInputs inputs_;
  std::unique_ptr<Operations> operations_;  ///< null where all tasks are kernels
  TaskKernels kernels_;
  bool ends_with_operation_;  ///< some task without successors is no kernel
  Stream stream_;
  GraphPace pace_;
  double last_pace_ = 0;  ///< after the last run; 0 before the first
  std::optional<StreamProgram> captured_;
  std::optional<StreamSet> sets_;  ///< a stream in each share, where nodes that are not captured come into sets of cores
  std::array<std::optional<GraphProgram>, 3> programs_;  ///< by RunMode
};

}  // namespace

std::unique_ptr<Executor> make_cuda_graph(const ExecutorInputs& inputs) { return std::make_unique<CudaGraphExecutor>(inputs); }

}  // namespace tasktwin::gpu
