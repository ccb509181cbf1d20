#include "gpu/executors/cuda_streams.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "gpu/operations/operations.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/streams/stream_program.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

namespace {

using HostClock = StreamProgram::Clock;

/// A kernel a task, launched by the host into streams (StreamProgram); a task of several blocks is one kernel of as many. Tasks that are
/// no kernels are calls on the same streams (Operations). A run of several replays is timed as a whole, and its phases are those of the
/// last; order is checked in each of the first two by itself.
class CudaStreamsExecutor final : public Executor {
 public:
  explicit CudaStreamsExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        operations_(inputs.graph.has_operations() ? std::make_unique<Operations>(inputs) : nullptr),
        kernels_(inputs),
        program_(inputs, kernels_, operations_.get()) {}

  RunResult run(RunMode mode) override {
    if (mode == RunMode::kCheckOrder) return check_order();
    return run_passes(mode, inputs_.design.replays);
  }

  std::optional<Residual> check_result() override { return kernels_.check_result(); }

 private:
  RunResult check_order() {
    RunResult sum;
    for (int pass = 0; pass < std::min(inputs_.design.replays, 2); ++pass) {
      const RunResult result = run_passes(RunMode::kCheckOrder, 1);
      sum.makespan = result.makespan;
      sum.ordering_violations += result.ordering_violations;
    }
    return sum;
  }

  RunResult run_passes(RunMode mode, int passes) {
    const StreamRun described = kernels_.describe(mode);
    if (operations_) operations_->reset(mode, program_.streams().front());
    kernels_.reset(program_.streams().front());
    program_.forget_waits();
    program_.prepare(described);
    const double pace_before = pace_.find_processor();  // the host's calls are most of what a run waits for
    kernels_.take_origin(program_.streams().front());
    const HostClock::time_point host_origin = HostClock::now();
    for (int pass = 0; pass < passes; ++pass) {
      if (pass > 0) program_.meet();
      program_.submit(described);
    }
    const HostClock::time_point host_end = HostClock::now();
    program_.finish();
    await_streams();

    RunResult result = kernels_.result(mode);
    if (mode != RunMode::kCheckOrder) {
      const double pace_behind = pace_.call_ns();
      result.host_call_ns = (pace_before + pace_behind) / 2;
      result.host_disturbance = std::abs(pace_behind - pace_before) / result.host_call_ns;
    }
    if (operations_) operations_->complete(result, mode, kernels_, host_origin);
    if (mode == RunMode::kStamped) {
      add_launches(result.timeline, host_origin);
      result.timeline.dispatchers = {busy_spans(host_origin, host_end)};
    }
    return result;
  }

  void await_streams() {
    std::uint64_t finished = 0;
    for (std::uint32_t stream = 0; stream < program_.streams().size(); ++stream) {
      if (!await_completion(program_.streams()[stream], inputs_.options.watchdog, [&finished] { return finished; })) {
        throw UnendedRun("stream " + std::to_string(finished) + " made no progress for " +
                         std::to_string(inputs_.options.watchdog.count()) +
                         " ms: a task's body does not end, or the graph is longer than the watchdog allows");
      }
      ++finished;
    }
  }

  /// Notes where kernels of one block ran, whose cores are about to be streams, and which compute cores there are: the machine's, or more
  /// where the device has more.
  void place_single_blocks(Timeline& timeline) const {
    std::size_t count = 0;
    for (const BlockTimes& block : timeline.blocks) count = std::max(count, index(block.core) + 1);
    for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
      const TaskTimes& times = timeline.tasks[i];
      const TaskId task = task_id(i);
      if (inputs_.graph[task].operation != Operation::kKernel || inputs_.graph.traits(task).blocks > 1 || !is_present(times.started))
        continue;
      timeline.blocks.push_back({task, times.core, times.started, times.ended, kAbsent});
      count = std::max(count, index(times.core) + 1);
    }
    std::ranges::stable_sort(timeline.blocks, {}, &BlockTimes::task);
    timeline.compute_cores.assign(std::max(count, compute_cores(inputs_.machine).size()), CoreType::kSm);
  }

  /// The cores of such a timeline are streams.
  void add_launches(Timeline& timeline, HostClock::time_point host_origin) const {
    place_single_blocks(timeline);
    timeline.cores.assign(program_.streams().size(), CoreType::kSm);
    timeline.on_streams = true;
    timeline.roles = {ControlRole::kHost};
    for (const StreamLaunch& launch : program_.plan()) {
      TaskTimes& times = timeline.tasks[index(launch.task)];
      times.dispatched = since(host_origin, program_.launched(launch.task));
      times.core = core_id(launch.stream);
    }
  }

  /// What lies between the stretches in which the host waited.
  std::vector<Span> busy_spans(HostClock::time_point host_origin, HostClock::time_point host_end) const {
    std::vector<Span> spans;
    HostClock::time_point from = host_origin;
    const auto add = [&](HostClock::time_point to) {
      if (since(host_origin, to) > since(host_origin, from)) spans.push_back({since(host_origin, from), since(host_origin, to)});
    };
    for (const StreamProgram::Wait& wait : program_.waits()) {
      add(wait.begin);
      from = wait.end;
    }
    add(host_end);
    return spans;
  }

  static TimePoint since(HostClock::time_point origin, HostClock::time_point time) {
    return TimePoint{} + std::chrono::duration_cast<Duration>(time - origin);
  }

  ExecutorInputs inputs_;
  std::unique_ptr<Operations> operations_;  ///< null where all tasks are kernels
  TaskKernels kernels_;
  StreamProgram program_;
  StreamPace pace_;
};

}  // namespace

const ExecutorEntry kCudaStreamsExecutor{&kCudaStreamsSupported, make_executor<CudaStreamsExecutor>};

}  // namespace tasktwin::gpu
