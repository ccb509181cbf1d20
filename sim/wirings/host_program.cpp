#include <cstdint>
#include <vector>

#include "models/checks/mechanisms.hpp"
#include "sim/host/host_threads.hpp"
#include "sim/streams/device_set.hpp"
#include "sim/streams/launch_waits.hpp"
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

/// By task; empty where there are none.
std::vector<bool> memsets(const TaskGraph& graph) {
  std::vector<bool> memsets;
  if (!graph.has_operations()) return memsets;
  for (const Task& task : graph.tasks()) memsets.push_back(task.operation == Operation::kMemset);
  return memsets;
}

WaitRules program_rules(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan) {
  const mechanism::Copies copies = inputs.machine.copies.or_zero_unless(first_task(inputs.graph, reads_copies).has_value());
  return {.streams = static_cast<std::uint32_t>(inputs.design.streams),
          .queues = static_cast<std::uint32_t>(hardware_queues(inputs.machine.launch_limits, inputs.design)),
          .latency = round_ns(inputs.machine.streams->launch_latency),
          .stream_gap = round_ns(inputs.machine.streams->gap),
          .event_gap = round_ns(inputs.machine.streams->event_gap),
          .waiting_queue = inputs.machine.streams->waiting_queue,
          .queue_turns = inputs.machine.streams->queue_turns,
          .loaded_queue = inputs.machine.streams->loaded_queue,
          .drawing = drawing_times(inputs.graph, inputs.machine.constants(), plan),
          .graphs = graphs_of(*inputs.program, inputs.graph.size()),
          .graph_gap = round_ns(inputs.machine.graph_launch.or_zero_unless(launches_graphs(*inputs.program)).gap),
          .memset_gap = round_ns(copies.engine_gap),
          .memsets = memsets(inputs.graph),
          .items = Operations::items(inputs.graph, plan),
          .copy_latency = round_ns(copies.latency),
          .peer_latency = round_ns(copies.latency),
          .copy_gap = round_ns(copies.gap),
          .peer_gap = round_ns(copies.gap),
          .engine_gap = round_ns(copies.engine_gap)};
}

/// A captured program again: its threads make their calls, streams wait as in the capture, graphs are launched whole. Launches are known by
/// their tasks' ids. An edge of the graph that neither a stream's order nor a record nor a synchronisation of the program implies, as
/// one through a task that was taken out, is waited for on the device, at no cost.
class HostProgramRun final : public Wiring,
                             public EventHandler,
                             private HostThreads::Listener,
                             private Device::Listener,
                             private Operations::Listener {
 public:
  explicit HostProgramRun(const WiringInputs& inputs)
      : graph_(inputs.graph),
        calendar_(inputs.calendar),
        events_(inputs.events),
        plan_(plan_program(inputs.graph, *inputs.program)),
        waits_(inputs.calendar, plan_, program_rules(inputs, plan_), *this),
        devices_(inputs, plan_, launch_levels(inputs.graph, inputs.design, inputs.durations, inputs.machine.launch_limits.priorities),
                 *this),
        operations_(inputs, plan_, devices_, *this),
        host_(inputs, *this),
        ready_(inputs.graph),
        came_(inputs.graph.size(), false),
        latency_(round_ns(inputs.machine.streams->launch_latency)),
        copy_latency_(round_ns(inputs.machine.copies.or_zero_unless(first_task(inputs.graph, reads_copies).has_value()).latency)),
        graph_latency_(round_ns(inputs.machine.graph_launch.or_zero_unless(launches_graphs(*inputs.program)).latency)) {}

  void begin() override {
    waits_.begin(TimePoint{});
    for (const StreamLaunch& launch : plan_) events_.placed(launch.task, CoreId{launch.stream});
    ready_.begin([&](TaskId root) { events_.ready(root, TimePoint{}); });
    host_.begin();
  }

  void handle(EventKind /*kind*/, std::uint32_t launch, TimePoint now) override {
    if (!ready_.is_ready(plan_[launch].task)) {
      came_[launch] = true;
      return;
    }
    if (!operations_.takes(launch)) return devices_.arrive(launch, now);
    waits_.handed_over(launch, now);
    operations_.arrive(launch, waits_.turns(launch), now);
  }

 private:
  void launched(const HostCall& call, TimePoint begin, TimePoint end) override {
    const auto first = static_cast<std::uint32_t>(index(call.first));
    // What LaunchWaits adds to a begin is what the machine says of a launch of that kind.
    const Duration usual =
        graph_[call.first].operation != Operation::kKernel && is_copy(graph_[call.first].operation) ? copy_latency_ : latency_;
    const Duration latency = call.latency.value_or(call.graph ? graph_latency_ : usual);
    for (std::uint32_t launch = first; launch < first + call.tasks; ++launch) {
      events_.dispatched(plan_[launch].task, end);
      waits_.launched(launch, begin + latency - usual);
    }
  }

  void handed_over(std::uint32_t launch, TimePoint now) override { waits_.handed_over(launch, now); }
  void begun(std::uint32_t launch, TimePoint now) override { waits_.begun(launch, now); }
  void operation_ended(std::uint32_t launch, TimePoint now) override { task_ended(launch, now); }
  void traffic_changed(int device, double traffic, TimePoint now) override { devices_.leave_bandwidth(device, traffic, now); }
  void kernel_ended(std::uint32_t launch, TaskId /*task*/, TimePoint now) override { task_ended(launch, now); }

  void task_ended(std::uint32_t launch, TimePoint now) {
    ready_.ended(plan_[launch].task, now, [&](TaskId successor, TimePoint at) {
      events_.ready(successor, at);
      const auto number = static_cast<std::uint32_t>(index(successor));
      if (came_[number]) calendar_.schedule(now, EventKind::kStartable, number, *this);
    });
    waits_.ended(launch, now);
    host_.ended(launch, now);
  }

  const TaskGraph& graph_;
  Calendar& calendar_;
  RunEvents& events_;
  std::vector<StreamLaunch> plan_;
  LaunchWaits waits_;
  DeviceSet devices_;
  Operations operations_;
  HostThreads host_;
  ReadyTimes ready_;
  std::vector<bool> came_;  ///< by launch: the device would have it, but a predecessor has not ended
  Duration latency_;        ///< from a launch call's begin to its kernel's start,
  Duration copy_latency_;
  Duration graph_latency_;
};

}  // namespace

std::unique_ptr<Wiring> make_host_program(const WiringInputs& inputs) { return std::make_unique<HostProgramRun>(inputs); }

}  // namespace tasktwin::sim
