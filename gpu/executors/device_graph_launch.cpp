#include "gpu/executors.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/cuda/time_stamp.hpp"
#include "gpu/device_launch/graph_pool.hpp"
#include "gpu/device_launch/launched_tasks.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"

namespace tasktwin::gpu {

namespace {

/// A scheduler kernel in a graph, which launches further graphs from the device: one for each batch of ready tasks, whose kernel has
/// a block a task. A task's end decrements its successors' counters and puts those that have become ready where the scheduler looks.
/// CUDA's limits ("Device Graph Launch" in the CUDA C++ Programming Guide), and what follows from them:
///   - an execution of a graph may launch 120 graphs in all; under `fire_and_forget` the scheduler then launches itself again after
///     them. Those launched as siblings count with the launcher of the scheduler, so that launching itself does not help (seen on an
///     H200: the 121st is refused), and the host launches it again once all have ended;
///   - an executable graph cannot run twice at a time, so that each of those in flight has one of its own;
///   - under `tail` graphs run one after the other when the scheduler has ended, and then the scheduler again.
/// The run's origin is the host's launch of the scheduler.
///
/// The simulator's twin is sim/wirings/device_graph_launch.cpp, with the constants of device_graph_launch and
/// launched_kernels, measured by verify/calibration/mechanisms/device_graph_launch.cpp and dynamic_parallelism.cpp.
class DeviceGraphLaunchExecutor final : public Executor {
 public:
  explicit DeviceGraphLaunchExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        task_count_(static_cast<std::uint32_t>(inputs.graph.size())),
        claim_{inputs.design.claim, static_cast<std::uint32_t>(inputs.design.claim_size), 1},
        batch_(std::min(task_count_,
                        rules::largest_batch(claim_, static_cast<std::uint32_t>(worker_cores(inputs.design, inputs.machine).size())))),
        block_(launched_block(inputs.graph, task_id(0))),
        tasks_(inputs, batch_registers),
        state_(1, "the scheduler's state"),
        ready_(task_count_, "the ready ring"),
        batches_(std::size_t{kMostGraphLaunches} * batch_, "the batches"),
        blocks_left_(kMostGraphLaunches, "the batches"),
        spans_(task_count_, "the launches"),
        initial_ready_(std::span<const std::uint32_t>(initial_ready()), "the ready ring") {
    prepare_graph_kernels();
  }

  RunResult run(RunMode mode) override {
    const GraphPool& graphs = pool(mode);
    check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream_), "clearing the scheduler's state");
    check(cudaMemsetAsync(blocks_left_.data(), 0, blocks_left_.bytes(), stream_), "clearing the batches");
    check(cudaMemcpyAsync(ready_.data(), initial_ready_.data(), ready_.bytes(), cudaMemcpyDeviceToDevice, stream_),
          "filling the ready ring");
    tasks_.reset(stream_);
    tasks_.take_origin(stream_);
    GraphState last{};
    do {
      check(cudaGraphLaunch(graphs.scheduler(), stream_), "launching the scheduler");
      if (!await_completion(stream_, inputs_.options.watchdog, [this] { return std::uint64_t{state().pushed}; })) end_and_explain();
      last = state();
      if (const auto failure = static_cast<cudaError_t>(last.failure); failure != cudaSuccess)
        check(failure, "launching a graph from the device, after " + std::to_string(last.graphs) + " of them");
    } while (last.launched < task_count_);
    RunResult result = tasks_.result(mode);
    if (mode == RunMode::kStamped) add_launches(result.timeline, last.graphs);
    return result;
  }

  std::optional<Residual> check_result() override { return tasks_.check_result(); }

 private:
  /// By order of becoming ready, as GraphRun::ready.
  std::vector<std::uint32_t> initial_ready() const {
    std::vector<std::uint32_t> words(task_count_);
    std::ranges::transform(tasks_.roots(), words.begin(), [](std::uint32_t root) { return 1 + root; });
    return words;
  }

  GraphRun describe(RunMode mode) const {
    return {.run = tasks_.describe(mode),
            .state = state_.data(),
            .ready = ready_.data(),
            .task_count = task_count_,
            .root_count = static_cast<std::uint32_t>(tasks_.roots().size()),
            .batch = batch_,
            .batches = batches_.data(),
            .blocks_left = blocks_left_.data(),
            .slots = nullptr,
            .mode = inputs_.design.launch_mode,
            .claim = claim_,
            .spans = mode == RunMode::kStamped ? spans_.data() : nullptr};
  }

  /// A node's parameters are part of the graph, so each mode has graphs of its own, made when it is first run.
  const GraphPool& pool(RunMode mode) {
    std::unique_ptr<GraphPool>& pool = pools_[static_cast<std::size_t>(mode)];
    if (!pool) pool = std::make_unique<GraphPool>(describe(mode), block_, stream_);
    return *pool;
  }

  /// Beside the run.
  GraphState state() const {
    GraphState state{};
    check(cudaMemcpyAsync(&state, state_.data(), sizeof state, cudaMemcpyDeviceToHost, side_stream_), "reading the scheduler's state");
    side_stream_.synchronize();
    return state;
  }

  [[noreturn]] void end_and_explain() const {
    const std::uint32_t abort = 1;
    check(cudaMemcpyAsync(&state_.data()->abort, &abort, sizeof abort, cudaMemcpyHostToDevice, side_stream_), "aborting the run");
    side_stream_.synchronize();
    if (!await_completion(stream_, std::chrono::seconds{1}, [] { return std::uint64_t{1}; }))
      throw UnendedRun("the run made no progress and did not end on request: a task's body does not end");
    throw RunError("the run made no progress for " + std::to_string(inputs_.options.watchdog.count()) + " ms and was ended; " +
                   tasks_.explain_waits());
  }

  void add_launches(Timeline& timeline, std::uint32_t graphs) const {
    const std::vector<GraphLaunchSpan> spans = spans_.to_host("the launches");
    timeline.roles = {ControlRole::kScheduler};
    std::vector<Span>& busy = timeline.dispatchers.emplace_back();
    for (std::uint32_t i = 0; i < graphs; ++i) busy.push_back({tasks_.at(spans[i].begin), tasks_.at(spans[i].end)});
    for (TaskTimes& times : timeline.tasks) times.dispatcher = DispatcherId{0};
  }

  ExecutorInputs inputs_;
  std::uint32_t task_count_;
  rules::ClaimRule claim_;
  std::uint32_t batch_;  ///< tasks a graph, at most
  Footprint block_;      ///< of each task
  LaunchedTasks tasks_;
  Stream stream_;
  Stream side_stream_;
  DeviceBuffer<GraphState> state_;
  DeviceBuffer<std::uint32_t> ready_;
  DeviceBuffer<std::uint32_t> batches_;
  DeviceBuffer<std::uint32_t> blocks_left_;
  DeviceBuffer<GraphLaunchSpan> spans_;
  DeviceBuffer<std::uint32_t> initial_ready_;
  std::array<std::unique_ptr<GraphPool>, 3> pools_;  ///< by RunMode
};

}  // namespace

std::unique_ptr<Executor> make_device_graph_launch(const ExecutorInputs& inputs) {
  return std::make_unique<DeviceGraphLaunchExecutor>(inputs);
}

}  // namespace tasktwin::gpu
