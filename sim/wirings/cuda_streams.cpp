#include <algorithm>

#include "sim/bodies.hpp"
#include "sim/launcher.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Kernels in streams. One may start at the latest of: its launch call's begin + launch_latency; the end of the kernel
/// before it in its stream + stream_gap; the end of each kernel its stream waits for + event_gap. As many run at once as
/// there are cores of their type; those beyond take the cores as they become free, first come, first served.
class CudaStreams final : public Wiring, public EventHandler, private Bodies::Listener {
 public:
  explicit CudaStreams(const WiringInputs& inputs)
      : graph_(inputs.graph),
        calendar_(inputs.calendar),
        timeline_(inputs.timeline),
        program_(host_program(graph_, inputs.machine, inputs.design)),
        streams_(static_cast<std::uint32_t>(inputs.design.streams)),
        launch_latency_(round_ns(inputs.machine.constants.launch_latency)),
        stream_gap_(round_ns(inputs.machine.constants.stream_gap)),
        event_gap_(round_ns(inputs.machine.constants.event_gap)),
        bodies_(calendar_, inputs.machine.constants, inputs.costs, *this),
        waits_(graph_.size()),
        position_(graph_.size()),
        startable_(graph_.size()) {
    for (const CoreType type : worker_cores(inputs.design, inputs.machine)) ++free_cores_[static_cast<std::size_t>(type)];
    const auto launches = static_cast<std::uint32_t>(program_.launches.size());
    waiters_begin_.assign(launches + 1, 0);
    for (const std::uint32_t awaited : program_.awaited) ++waiters_begin_[awaited + 1];
    for (std::size_t i = 0; i < launches; ++i) waiters_begin_[i + 1] += waiters_begin_[i];
    waiters_.resize(program_.awaited.size());
    std::vector<std::uint32_t> fill(waiters_begin_.begin(), waiters_begin_.end() - 1);
    for (std::uint32_t i = 0; i < launches; ++i) {
      for (const std::uint32_t awaited : program_.awaited_by(i)) waiters_[fill[awaited]++] = i;
    }
  }

  void begin() override {
    timeline_.dispatchers.resize(1);
    if (program_.end > TimePoint{}) timeline_.dispatchers[0].push_back({TimePoint{}, program_.end});
    for (std::uint32_t i = 0; i < program_.launches.size(); ++i) {
      const Launch& launch = program_.launches[i];
      TaskTimes& times = timeline_.tasks[index(launch.task)];
      times.core = CoreId{launch.stream};
      times.dispatched = launch.end;
      if (graph_.in_degree(launch.task) == 0) times.ready = TimePoint{};
      position_[index(launch.task)] = i;
      startable_[i] = launch.begin + launch_latency_;
      waits_[i] = static_cast<std::uint32_t>(program_.awaited_by(i).size()) + (i >= streams_ ? 1 : 0);
      if (waits_[i] == 0) schedule_start(i);
    }
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kBodyEnd) {
      end(subject, now);
    } else {
      const CoreType type = graph_[program_.launches[subject].task].core_type;
      queue_[static_cast<std::size_t>(type)].push_back(subject);
      start_next(type, now);
    }
  }

 private:
  struct Line {
    std::vector<std::uint32_t> launches;
    std::size_t head = 0;
    void push_back(std::uint32_t launch) { launches.push_back(launch); }
  };

  void schedule_start(std::uint32_t launch) { calendar_.schedule(startable_[launch], EventKind::kStartable, launch, *this); }

  void start_next(CoreType type, TimePoint now) {
    Line& line = queue_[static_cast<std::size_t>(type)];
    int& free = free_cores_[static_cast<std::size_t>(type)];
    if (free == 0 || line.head == line.launches.size()) return;
    --free;
    const TaskId task = program_.launches[line.launches[line.head++]].task;
    timeline_.tasks[index(task)].started = now;
    const TimePoint end = bodies_.start(task, now);
    if (is_present(end)) body_ended(task, end);
  }

  void body_ended(TaskId task, TimePoint end) override {
    calendar_.schedule(end, EventKind::kBodyEnd, static_cast<std::uint32_t>(index(task)), *this);
  }

  void end(std::uint32_t subject, TimePoint now) {
    const TaskId task{subject};
    timeline_.tasks[subject].ended = now;
    for (const TaskId successor : graph_.successors(task)) {
      TimePoint& ready = timeline_.tasks[index(successor)].ready;
      ready = std::max(ready, now);  // kAbsent is before all times
    }
    const std::uint32_t launch = position_[subject];
    if (launch + streams_ < program_.launches.size()) signal(launch + streams_, now + stream_gap_);
    for (std::uint32_t w = waiters_begin_[launch]; w < waiters_begin_[launch + 1]; ++w) signal(waiters_[w], now + event_gap_);
    const CoreType type = graph_[task].core_type;
    ++free_cores_[static_cast<std::size_t>(type)];
    start_next(type, now);
  }

  void signal(std::uint32_t launch, TimePoint at) {
    startable_[launch] = std::max(startable_[launch], at);
    if (--waits_[launch] == 0) schedule_start(launch);
  }

  const TaskGraph& graph_;
  Calendar& calendar_;
  Timeline& timeline_;
  HostProgram program_;
  std::uint32_t streams_;
  Duration launch_latency_;
  Duration stream_gap_;
  Duration event_gap_;
  Bodies bodies_;
  std::array<int, kCoreTypeCount> free_cores_{};
  std::array<Line, kCoreTypeCount> queue_;    ///< may start, wait for a core
  std::vector<std::uint32_t> waits_;          ///< by launch: kernels it still waits for
  std::vector<std::uint32_t> position_;       ///< by TaskId: its launch
  std::vector<TimePoint> startable_;          ///< by launch, as far as known
  std::vector<std::uint32_t> waiters_begin_;  ///< by launch: where in waiters_ those that wait for it begin
  std::vector<std::uint32_t> waiters_;
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_streams(const WiringInputs& inputs) { return std::make_unique<CudaStreams>(inputs); }

}  // namespace tasktwin::sim
