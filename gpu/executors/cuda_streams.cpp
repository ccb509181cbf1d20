#include "gpu/executors/cuda_streams.hpp"

#include <algorithm>
#include <chrono>

#include "gpu/stream.hpp"
#include "gpu/streams/task_kernels.hpp"
#include "gpu/task_support.hpp"
#include "gpu/watchdog.hpp"
#include "models/stream_plan.hpp"

namespace tasktwin::gpu {

namespace {

using HostClock = std::chrono::steady_clock;

/// A kernel a task, launched by the host into streams that wait for each other's events; a task of several blocks is one
/// kernel of as many.
class CudaStreamsExecutor final : public Executor {
 public:
  explicit CudaStreamsExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        plan_(plan_streams(inputs.graph, inputs.design)),
        kernels_(inputs),
        streams_(stream_count(inputs.graph, inputs.design)),
        event_of_(inputs.graph.size()),
        launched_(inputs.graph.size()) {
    for (StreamLaunch& launch : plan_) {
      std::erase_if(launch.awaited, [&](TaskId before) { return inputs.options.ignores(before, launch.task); });
      if (!launch.records_event) continue;
      event_of_[index(launch.task)] = events_.size();
      events_.emplace_back();
    }
  }

  RunResult run(RunMode mode) override {
    kernels_.reset(streams_.front());
    kernels_.take_origin(streams_.front());
    const HostClock::time_point host_origin = HostClock::now();
    submit(kernels_.describe(mode));
    const HostClock::time_point host_end = HostClock::now();
    await_streams();

    RunResult result = kernels_.result(mode);
    if (mode == RunMode::kStamped) {
      add_launches(result.timeline, host_origin);
      result.timeline.dispatchers = {{{TimePoint{}, TimePoint{} + std::chrono::duration_cast<Duration>(host_end - host_origin)}}};
    }
    return result;
  }

  std::optional<Residual> check_result() override { return kernels_.check_result(); }

 private:
  void submit(const StreamRun& run) {
    for (const StreamLaunch& launch : plan_) {
      const Stream& stream = streams_[launch.stream];
      for (const TaskId before : launch.awaited)
        check(cudaStreamWaitEvent(stream, events_[event_of_[index(before)]], 0), "waiting for an event");
      launch_task(run, static_cast<std::uint32_t>(launch.task), kernels_.blocks(launch.task), stream);
      if (run.stamped) launched_[index(launch.task)] = HostClock::now();
      if (launch.records_event) check(cudaEventRecord(events_[event_of_[index(launch.task)]], stream), "recording an event");
    }
    check(cudaGetLastError(), "launching the tasks");
  }

  void await_streams() {
    std::uint64_t finished = 0;
    for (const Stream& stream : streams_) {
      if (!await_completion(stream, inputs_.options.watchdog, [&finished] { return finished; })) {
        throw RunError("stream " + std::to_string(finished) + " made no progress for " + std::to_string(inputs_.options.watchdog.count()) +
                       " ms: a task's body does not end, or the graph is longer than the watchdog allows");
      }
      ++finished;
    }
  }

  /// The cores of such a timeline are streams.
  void add_launches(Timeline& timeline, HostClock::time_point host_origin) const {
    timeline.cores.assign(streams_.size(), CoreType::kSm);
    for (const StreamLaunch& launch : plan_) {
      TaskTimes& times = timeline.tasks[index(launch.task)];
      times.dispatched = TimePoint{} + std::chrono::duration_cast<Duration>(launched_[index(launch.task)] - host_origin);
      times.core = core_id(launch.stream);
    }
  }

  ExecutorInputs inputs_;
  std::vector<StreamLaunch> plan_;
  TaskKernels kernels_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<std::size_t> event_of_;            ///< by TaskId, where it records one
  std::vector<HostClock::time_point> launched_;  ///< by TaskId
};

}  // namespace

const ExecutorEntry kCudaStreamsExecutor{
    [](const Design& design) { return design.driver == Driver::kStreams; },
    [](const TaskGraph& graph, const Machine&, const Design& design) -> std::optional<std::string> {
      if (design.hardware_queues != 0) {
        return "hardware_queues is " + std::to_string(design.hardware_queues) +
               ", but a process asks for the GPU's hardware queues once, and for all of them; leave it out";
      }
      return why_no_task(graph, {.blocks = true, .spawned = true});
    },
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<CudaStreamsExecutor>(inputs); }};

}  // namespace tasktwin::gpu
