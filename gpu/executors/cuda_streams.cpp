#include "gpu/executors/cuda_streams.hpp"

#include <algorithm>
#include <chrono>

#include "gpu/device_graph.hpp"
#include "gpu/mapped_word.hpp"
#include "gpu/stream.hpp"
#include "gpu/streams/stream_kernels.hpp"
#include "gpu/time_stamp.hpp"
#include "gpu/watchdog.hpp"
#include "models/stream_plan.hpp"

namespace tasktwin::gpu {

namespace {

using HostClock = std::chrono::steady_clock;

/// A kernel a task, launched by the host into streams that wait for each other's events.
class CudaStreamsExecutor final : public Executor {
 public:
  explicit CudaStreamsExecutor(const ExecutorInputs& inputs)
      : inputs_(inputs),
        plan_(plan_streams(inputs.graph, inputs.design)),
        problem_(make_problem_data(inputs.graph)),
        device_graph_(inputs.graph, inputs.options),
        streams_(stream_count(inputs.graph, inputs.design)),
        event_of_(inputs.graph.size()),
        phases_(inputs.graph.size(), "the phase stamps"),
        done_(inputs.graph.size(), "the order marks"),
        violations_(1, "the violation count"),
        launched_(inputs.graph.size()) {
    for (StreamLaunch& launch : plan_) {
      std::erase_if(launch.awaited, [&](TaskId before) { return inputs.options.ignores(before, launch.task); });
      if (!launch.records_event) continue;
      event_of_[index(launch.task)] = events_.size();
      events_.emplace_back();
    }
    prepare_task_kernel();
  }

  RunResult run(RunMode mode) override {
    problem_->reset(streams_.front());
    check(cudaMemsetAsync(phases_.data(), 0, phases_.bytes(), streams_.front()), "clearing the phase stamps");
    check(cudaMemsetAsync(done_.data(), 0, done_.bytes(), streams_.front()), "clearing the order marks");
    check(cudaMemsetAsync(violations_.data(), 0, violations_.bytes(), streams_.front()), "clearing the violation count");
    check(cudaDeviceSynchronize(), "preparing the run");

    const std::uint64_t origin = take_origin();
    const HostClock::time_point host_origin = HostClock::now();
    submit({.bodies = problem_->context(),
            .tasks = device_graph_.tasks.data(),
            .predecessors = device_graph_.predecessors.data(),
            .phases = phases_.data(),
            .stamped = mode == RunMode::kStamped,
            .done = mode == RunMode::kCheckOrder ? done_.data() : nullptr,
            .violations = violations_.data()});
    const HostClock::time_point host_end = HostClock::now();
    await_streams();

    RunResult result;
    const std::vector<PhaseRecord> records = phases_.to_host("the phase stamps");
    std::uint64_t last = origin;
    for (const PhaseRecord& record : records) last = std::max(last, record.ended);
    result.makespan = from_stamp(last, origin).time_since_epoch();
    if (mode == RunMode::kCheckOrder) result.ordering_violations = violations_.to_host("the violation count").front();
    if (mode == RunMode::kStamped) {
      result.timeline = timeline(records, origin, host_origin);
      result.timeline.dispatchers = {{{TimePoint{}, TimePoint{} + std::chrono::duration_cast<Duration>(host_end - host_origin)}}};
    }
    return result;
  }

  std::optional<Residual> check_result() override { return problem_->check(); }

 private:
  /// The device's time just before the host's first call; the host learns of it 1 to 2 µs late.
  std::uint64_t take_origin() {
    origin_.write(0);
    launch_origin_stamp(origin_.device_address(), streams_.front());
    const auto deadline = HostClock::now() + inputs_.options.watchdog;
    while (origin_.read() == 0) {
      if (HostClock::now() > deadline)
        throw RunError("the GPU did not start the first kernel within " + std::to_string(inputs_.options.watchdog.count()) + " ms");
    }
    return origin_.read();
  }

  void submit(const StreamRun& run) {
    for (const StreamLaunch& launch : plan_) {
      const Stream& stream = streams_[launch.stream];
      for (const TaskId before : launch.awaited)
        check(cudaStreamWaitEvent(stream, events_[event_of_[index(before)]], 0), "waiting for an event");
      launch_task(run, static_cast<std::uint32_t>(launch.task), stream);
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

  Timeline timeline(const std::vector<PhaseRecord>& records, std::uint64_t origin, HostClock::time_point host_origin) const {
    Timeline timeline;
    timeline.cores.assign(streams_.size(), CoreType::kSm);
    timeline.tasks.resize(records.size());
    for (const StreamLaunch& launch : plan_) {
      const std::size_t i = index(launch.task);
      TaskTimes& times = timeline.tasks[i];
      times.dispatched = TimePoint{} + std::chrono::duration_cast<Duration>(launched_[i] - host_origin);
      times.started = from_stamp(records[i].started, origin);
      times.ended = from_stamp(records[i].ended, origin);
      times.core = core_id(launch.stream);
    }
    return timeline;
  }

  ExecutorInputs inputs_;
  std::vector<StreamLaunch> plan_;
  std::unique_ptr<ProblemData> problem_;
  DeviceGraph device_graph_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<std::size_t> event_of_;  ///< by TaskId, where it records one
  DeviceBuffer<PhaseRecord> phases_;
  DeviceBuffer<std::uint32_t> done_;
  DeviceBuffer<std::uint32_t> violations_;
  std::vector<HostClock::time_point> launched_;  ///< by TaskId
  MappedWord origin_;
};

}  // namespace

const ExecutorEntry kCudaStreamsExecutor{
    [](const Design& design) { return design.driver == Driver::kStreams; },
    [](const Design& design, const Machine&) -> std::optional<std::string> {
      if (design.hardware_queues == 0) return std::nullopt;
      return "hardware_queues is " + std::to_string(design.hardware_queues) +
             ", but a process asks for the GPU's hardware queues once, and for all of them; leave it out";
    },
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<CudaStreamsExecutor>(inputs); }};

}  // namespace tasktwin::gpu
