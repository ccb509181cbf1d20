#include <algorithm>

#include "sim/launcher.hpp"
#include "sim/streams/device.hpp"
#include "sim/streams/launch_waits.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Kernels in streams: the host launches them, LaunchWaits says when each may be handed over, Device runs them.
class CudaStreams final : public Wiring, public EventHandler, private Device::Listener {
 public:
  explicit CudaStreams(const WiringInputs& inputs)
      : graph_(inputs.graph),
        timeline_(inputs.timeline),
        program_(host_program(graph_, inputs.machine, inputs.design)),
        waits_(inputs, program_, *this),
        device_(inputs, program_.launches, *this) {}

  void begin() override {
    timeline_.roles = {ControlRole::kHost};
    timeline_.dispatchers.resize(1);
    if (program_.end > TimePoint{}) timeline_.dispatchers[0].push_back({TimePoint{}, program_.end});
    for (std::size_t i = 0; i < program_.launches.size(); ++i) {
      const StreamLaunch& launch = program_.launches[i];
      TaskTimes& times = timeline_.tasks[index(launch.task)];
      times.core = CoreId{launch.stream};
      times.dispatched = program_.calls[i].end;
      if (graph_.in_degree(launch.task) == 0) times.ready = TimePoint{};
    }
    waits_.begin();
  }

  void handle(EventKind /*kind*/, std::uint32_t launch, TimePoint now) override { device_.arrive(launch, now); }

 private:
  void handed_over(std::uint32_t launch, TimePoint now) override { waits_.handed_over(launch, now); }

  void kernel_ended(std::uint32_t launch, TaskId task, TimePoint now) override {
    for (const TaskId successor : graph_.successors(task)) {
      TimePoint& ready = timeline_.tasks[index(successor)].ready;
      ready = std::max(ready, now);  // kAbsent is before all times
    }
    waits_.ended(launch, now);
  }

  const TaskGraph& graph_;
  Timeline& timeline_;
  HostProgram program_;
  LaunchWaits waits_;
  Device device_;
};

}  // namespace

std::unique_ptr<Wiring> make_cuda_streams(const WiringInputs& inputs) { return std::make_unique<CudaStreams>(inputs); }

}  // namespace tasktwin::sim
