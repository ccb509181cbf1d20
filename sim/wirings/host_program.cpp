#include <cstdint>
#include <vector>

#include "models/mechanisms.hpp"
#include "sim/streams/device.hpp"
#include "sim/streams/host_threads.hpp"
#include "sim/streams/launch_waits.hpp"
#include "sim/streams/launcher.hpp"
#include "sim/streams/operations.hpp"
#include "sim/streams/ready_times.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

bool launches_graphs(const HostProgram& program) {
  for (const HostThread& thread : program.threads) {
    for (const HostCall& call : thread.calls) {
      if (call.graph) return true;
    }
  }
  return false;
}

/// By task: the graph launch that it is a node of, counted from 1, or 0.
std::vector<std::uint32_t> graphs_of(const HostProgram& program, std::size_t tasks) {
  std::vector<std::uint32_t> graphs;
  if (!launches_graphs(program)) return graphs;
  graphs.resize(tasks);
  std::uint32_t number = 0;
  for (const HostThread& thread : program.threads) {
    for (const HostCall& call : thread.calls) {
      if (!call.graph) continue;
      ++number;
      for (std::size_t i = index(call.first), end = i + call.tasks; i < end; ++i) graphs[i] = number;
    }
  }
  return graphs;
}

WaitRules rules_of(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan) {
  const mechanism::Copies copies = inputs.machine.copies.where(first_task(inputs.graph, reads_copies).has_value());
  return {.streams = static_cast<std::uint32_t>(inputs.design.streams),
          .queues = static_cast<std::uint32_t>(hardware_queues(inputs.machine, inputs.design)),
          .latency = round_ns(inputs.machine.streams->launch_latency),
          .stream_gap = round_ns(inputs.machine.streams->gap),
          .event_gap = round_ns(inputs.machine.streams->event_gap),
          .graphs = graphs_of(*inputs.program, inputs.graph.size()),
          .graph_gap = round_ns(inputs.machine.graph_launch.where(launches_graphs(*inputs.program)).gap),
          .items = Operations::items(inputs.graph, plan),
          .copy_latency = round_ns(copies.latency),
          .copy_gap = round_ns(copies.gap),
          .engine_gap = round_ns(copies.engine_gap)};
}

/// A captured program again: its threads make their calls, streams wait as they were told, graphs are launched whole. Launches are known by
/// their tasks' ids.
class HostProgramRun final : public Wiring,
                             public EventHandler,
                             private HostThreads::Listener,
                             private Device::Listener,
                             private Operations::Listener {
 public:
  explicit HostProgramRun(const WiringInputs& inputs)
      : events_(inputs.events),
        plan_(plan_program(inputs.graph, *inputs.program)),
        waits_(inputs.calendar, plan_, rules_of(inputs, plan_), *this),
        device_(inputs, plan_, launch_levels(inputs.graph, inputs.design, inputs.durations, inputs.machine.launch_limits.priorities),
                *this),
        operations_(inputs, plan_, *this),
        host_(inputs, *this),
        ready_(inputs.graph),
        graph_latency_(round_ns(inputs.machine.graph_launch.where(launches_graphs(*inputs.program)).latency) -
                       round_ns(inputs.machine.streams->launch_latency)) {}

  void begin() override {
    waits_.begin(TimePoint{});
    for (const StreamLaunch& launch : plan_) events_.placed(launch.task, CoreId{launch.stream});
    ready_.begin([&](TaskId root) { events_.ready(root, TimePoint{}); });
    host_.begin();
  }

  void handle(EventKind /*kind*/, std::uint32_t launch, TimePoint now) override {
    if (!operations_.takes(launch)) return device_.arrive(launch, now);
    waits_.handed_over(launch, now);
    operations_.arrive(launch, waits_.turns(launch), now);
  }

 private:
  void launched(std::uint32_t first, std::uint32_t tasks, bool graph, TimePoint begin, TimePoint end) override {
    for (std::uint32_t launch = first; launch < first + tasks; ++launch) {
      events_.dispatched(plan_[launch].task, end);
      waits_.launched(launch, graph ? begin + graph_latency_ : begin);
    }
  }

  void handed_over(std::uint32_t launch, TimePoint now) override { waits_.handed_over(launch, now); }
  void operation_ended(std::uint32_t launch, TimePoint now) override { task_ended(launch, now); }
  void traffic_changed(double traffic, TimePoint now) override { device_.leave_bandwidth(traffic, now); }
  void kernel_ended(std::uint32_t launch, TaskId /*task*/, TimePoint now) override { task_ended(launch, now); }

  void task_ended(std::uint32_t launch, TimePoint now) {
    ready_.ended(plan_[launch].task, now, [this](TaskId successor, TimePoint at) { events_.ready(successor, at); });
    waits_.ended(launch, now);
    host_.ended(launch, now);
  }

  RunEvents& events_;
  std::vector<StreamLaunch> plan_;
  LaunchWaits waits_;
  Device device_;
  Operations operations_;
  HostThreads host_;
  ReadyTimes ready_;
  Duration graph_latency_;  ///< of a graph's launch, beyond that of a kernel's
};

}  // namespace

std::unique_ptr<Wiring> make_host_program(const WiringInputs& inputs) { return std::make_unique<HostProgramRun>(inputs); }

}  // namespace tasktwin::sim
