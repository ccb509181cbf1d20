#include <algorithm>

#include "models/checks/mechanisms.hpp"
#include "sim/streams/device_set.hpp"
#include "sim/streams/launch_waits.hpp"
#include "sim/streams/launcher_set.hpp"
#include "sim/streams/operations.hpp"
#include "sim/streams/ready_times.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

WaitRules stream_rules(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan) {
  const Design& design = inputs.design;
  const bool callback = design.stream_wait == StreamWait::kCallback;
  const mechanism::Copies copies = inputs.machine.copies.or_zero_unless(first_task(inputs.graph, reads_copies).has_value());
  const bool several = inputs.machine.devices.count() > 1;
  const mechanism::Peers peers = inputs.machine.peers.or_zero_unless(several);
  return {.streams = total_streams(inputs.graph, design),
          .devices = static_cast<std::uint32_t>(inputs.graph.devices()),
          .queues = static_cast<std::uint32_t>(hardware_queues(inputs.machine.launch_limits, design)),
          .awaits = design.stream_wait == StreamWait::kEvents,
          .barrier = design.default_stream == DefaultStream::kLegacy,
          .latency = round_ns(inputs.machine.streams->launch_latency),
          .stream_gap = round_ns(inputs.machine.streams->gap),
          .programmatic_gap = round_ns(inputs.machine.streams->programmatic_gap),
          .event_gap = round_ns(inputs.machine.streams->event_gap),
          .waiting_queue = inputs.machine.streams->waiting_queue,
          .queue_turns = inputs.machine.streams->queue_turns,
          .loaded_queue = inputs.machine.streams->loaded_queue,
          .drawing = drawing_times(inputs.graph, inputs.machine.constants(), plan),
          .event_hop = round_ns(peers.event_hop),
          .copy_hop = round_ns(peers.copy_hop),
          .function_latency = callback ? round_ns(inputs.machine.host_calls->callback_latency) : Duration{0},
          .items = Operations::items(inputs.graph, plan),
          .copy_latency = round_ns(copies.latency),
          .peer_latency = round_ns(several ? peers.copy_latency : copies.latency),
          .copy_gap = round_ns(copies.gap),
          .peer_gap = several ? Duration{0} : round_ns(copies.gap),  // copy_setup has it
          .engine_gap = round_ns(copies.engine_gap)};
}

/// Kernels in streams: Launcher is the host that launches them, LaunchWaits says when each may be handed over, DeviceSet runs them, and
/// Operations what is no kernel.
/// A stream that waits after a host function does so until that has run. The legacy default stream's barrier reaches others as
/// an event does; the thread's own default stream is a stream like the others. The times are those of the last replay.
class CudaStreams final : public Wiring,
                          public EventHandler,
                          private Device::Listener,
                          private Launcher::Listener,
                          private Operations::Listener {
 public:
  explicit CudaStreams(const WiringInputs& inputs)
      : graph_(inputs.graph),
        events_(inputs.events),
        calendar_(inputs.calendar),
        plan_(plan_streams(graph_, inputs.design)),
        waits_(calendar_, plan_, stream_rules(inputs, plan_), *this),
        devices_(inputs, plan_, launch_levels(graph_, inputs.design, inputs.durations, inputs.machine.launch_limits.priorities), *this),
        operations_(inputs, plan_, devices_, *this),
        launcher_(inputs, plan_, *this, operations_.any() ? &operations_ : nullptr),
        ready_(graph_),
        replays_(inputs.design.replays) {
    for (std::uint32_t launch = 0; launch < plan_.size(); ++launch) {
      if (waits_.has_early_follower(launch)) devices_.watch(launch);
    }
  }

  void begin() override {
    prepare(TimePoint{}, TimePoint{});
    launcher_.begin();
  }

  void handle(EventKind kind, std::uint32_t launch, TimePoint now) override {
    if (kind == EventKind::kReplay) {
      devices_.begin_again();
      events_.pass_begins(now);
      prepare(now, launcher_.meet(now));
      launcher_.begin();
    } else if (kind == EventKind::kComes) {
      if (waits_.may_come(launch)) devices_.come(launch, now);  // else it was of the replay before
    } else if (operations_.takes(launch)) {
      waits_.handed_over(launch, now);
      operations_.arrive(launch, waits_.turns(launch), now);
    } else {
      devices_.arrive(launch, now);
    }
  }

  std::string failure() const override { return operations_.failure(); }

 private:
  void prepare(TimePoint now, TimePoint gate) {
    left_ = plan_.size();
    waits_.begin(gate);
    for (const StreamLaunch& launch : plan_) events_.placed(launch.task, CoreId{launch.stream});
    ready_.begin([&](TaskId root) { events_.ready(root, now); });
  }

  void launched(std::uint32_t launch, TimePoint begin, TimePoint end) override {
    events_.dispatched(plan_[launch].task, end);
    waits_.launched(launch, is_allocation(graph_[plan_[launch].task].operation) ? end : begin);
  }

  void handed_over(std::uint32_t launch, TimePoint now) override { waits_.handed_over(launch, now); }
  void begun(std::uint32_t launch, TimePoint now) override { waits_.begun(launch, now); }
  void triggered(std::uint32_t launch, TimePoint now) override { waits_.triggered(launch, now); }

  void placed(std::uint32_t launch, TimePoint now) override { operations_.placed(launch, now); }
  void operation_ended(std::uint32_t launch, TimePoint now) override { kernel_ended(launch, plan_[launch].task, now); }
  void traffic_changed(int device, double traffic, TimePoint now) override { devices_.leave_bandwidth(device, traffic, now); }

  void kernel_ended(std::uint32_t launch, TaskId task, TimePoint now) override {
    ready_.ended(task, now, [this](TaskId successor, TimePoint at) { events_.ready(successor, at); });
    if (operations_.any()) operations_.ended(launch, now);
    waits_.ended(launch, now);
    launcher_.kernel_ended(launch, now);
    if (--left_ == 0 && --replays_ > 0) calendar_.schedule(now, EventKind::kReplay, 0, *this);
  }

  const TaskGraph& graph_;
  RunEvents& events_;
  Calendar& calendar_;
  std::vector<StreamLaunch> plan_;
  LaunchWaits waits_;
  DeviceSet devices_;
  Operations operations_;
  LauncherSet launcher_;
  ReadyTimes ready_;
  int replays_;
  std::size_t left_ = 0;  ///< kernels of this pass
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_streams(const WiringInputs& inputs) { return std::make_unique<CudaStreams>(inputs); }

}  // namespace tasktwin::sim
