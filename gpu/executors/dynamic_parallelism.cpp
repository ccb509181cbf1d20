#include "gpu/executors.hpp"

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/device_launch/dynamic_kernels.hpp"
#include "gpu/device_launch/launched_tasks.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"

namespace tasktwin::gpu {

namespace {

/// A kernel a task, launched on the device by the kernel that made it ready; one kernel from the host launches the roots. At most
/// `pending_launches` may wait for room on the device at a time (cudaLimitDevRuntimePendingLaunchCount): a launch beyond them fails
/// (CUDA C++ Programming Guide, "Dynamic Parallelism", configuration options), and its task stays with the block that made it ready. The
/// run's origin is the host's launch.
///
/// The simulator's twin is sim/wirings/dynamic_parallelism.cpp, with the constants of dynamic_parallelism and
/// launched_kernels, measured by verify/calibration/mechanisms/dynamic_parallelism.cpp.
class DynamicParallelismExecutor final : public Executor {
 public:
  explicit DynamicParallelismExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        pending_(static_cast<std::size_t>(inputs.design.pending_launches > 0 ? inputs.design.pending_launches : kDefaultPendingLaunches)),
        tasks_(inputs, dynamic_registers),
        blocks_(std::span<const LaunchedBlock>(stated_blocks(inputs.graph)), "the tasks' blocks"),
        roots_(std::span<const std::uint32_t>(tasks_.roots()), "the roots"),
        next_(inputs.graph.size(), "the tasks that found no room"),
        counts_(1, "the launch counts") {
    limit_pending_launches();
    if (const cudaError_t status = probe_device_launch(); status != cudaSuccess) check(status, "launching a kernel from the device");
    prepare_dynamic_kernels();
  }

  RunResult run(RunMode mode) override {
    limit_pending_launches();  // another executor may have set it since
    check(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), stream_), "clearing the launch counts");
    tasks_.reset(stream_);
    tasks_.take_origin(stream_);
    launch_roots({.run = tasks_.describe(mode),
                  .roots = roots_.data(),
                  .root_count = static_cast<std::uint32_t>(roots_.size()),
                  .next = next_.data(),
                  .counts = counts_.data(),
                  .blocks = blocks_.size() > 0 ? blocks_.data() : nullptr,
                  .whole_core_bytes = dynamic_shared_bytes()},
                 stream_);
    if (!await_completion(stream_, inputs_.options.watchdog, [] { return std::uint64_t{0}; })) {
      throw UnendedRun("the kernels did not end within " + std::to_string(inputs_.options.watchdog.count()) +
                       " ms: a task's body or the launch of a kernel does not end, or the graph is longer than the watchdog allows");
    }
    if (const auto failure = static_cast<cudaError_t>(counts_.to_host("the launch counts").front().failure); failure != cudaSuccess)
      check(failure, "launching a task's kernel from the device");
    return tasks_.result(mode);
  }

  std::optional<Residual> check_result() override { return tasks_.check_result(); }

 private:
  /// By TaskId; empty where none states any.
  static std::vector<LaunchedBlock> stated_blocks(const TaskGraph& graph) {
    std::vector<LaunchedBlock> blocks;
    if (!states_footprints(graph)) return blocks;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Footprint block = launched_block(graph, task_id(i));
      blocks.push_back({static_cast<std::uint32_t>(block.threads), static_cast<std::uint32_t>(block.shared_memory)});
    }
    return blocks;
  }

  void limit_pending_launches() const {
    std::size_t limit = 0;
    check(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount), "asking for the limit of pending launches");
    if (limit == pending_) return;
    check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, pending_),
          "allowing " + std::to_string(pending_) + " pending launches");
  }

  ExecutorInputs inputs_;
  std::size_t pending_;
  LaunchedTasks tasks_;
  Stream stream_;
  DeviceBuffer<LaunchedBlock> blocks_;  ///< by TaskId; empty where each task has a core to itself
  DeviceBuffer<std::uint32_t> roots_;
  DeviceBuffer<std::uint32_t> next_;
  DeviceBuffer<DynamicCounts> counts_;
};

}  // namespace

std::unique_ptr<Executor> make_dynamic_parallelism(const ExecutorInputs& inputs) {
  return std::make_unique<DynamicParallelismExecutor>(inputs);
}

}  // namespace tasktwin::gpu
