#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/program/stream_plan.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_calls.hpp"
#include "sim/memory/allocations.hpp"
#include "sim/memory/collectives.hpp"
#include "sim/memory/copy_engines.hpp"
#include "sim/streams/device_set.hpp"
#include "sim/streams/launch_waits.hpp"

namespace tasktwin::sim {

/// The launches that are no kernels, on the devices and on the host. Copies and memsets go to the copy engines of their device, ranks of
/// collectives to Collectives. Functions of the host
/// run one at a time, in the order in which their streams reach them, callback_latency later; the next begins when the one before has
/// ended. Allocations and frees are the host's, made in its call; in the stream they are marks.
///
/// A copy from or to pageable memory blocks the host: the call waits for what is before it in its stream, then until it has ended.
class Operations final : public EventHandler, public HostCalls, private CopyEngines::Listener, private Collectives::Listener {
 public:
  class Listener {
   public:
    virtual void operation_ended(std::uint32_t launch, TimePoint now) = 0;
    virtual void traffic_changed(int device, double traffic, TimePoint now) = 0;

   protected:
    ~Listener() = default;
  };

  /// Ranks of collectives take cores of `devices`.
  Operations(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, DeviceSet& devices, Listener& listener);

  /// Whether there are any.
  bool any() const { return graph_.has_operations(); }
  /// By launch; empty where there are none.
  static std::vector<LaunchItem> items(const TaskGraph& graph, const std::vector<StreamLaunch>& plan);
  bool takes(std::uint32_t launch) const { return graph_[plan_[launch].task].operation != Operation::kKernel; }

  /// Nothing but its engine holds the launch back any more; `turns` as CopyEngines says. Contract: takes(launch), in the order of `now`.
  void arrive(std::uint32_t launch, bool turns, TimePoint now);

  /// The rank has its cores.
  void placed(std::uint32_t launch, TimePoint now) { collectives_->placed(launch, now); }

  Before waits_before(std::uint32_t launch) override;
  Nanoseconds asks(std::uint32_t launch) override;
  std::optional<Nanoseconds> call(std::uint32_t launch, TimePoint now) override;
  bool returns_at_end(std::uint32_t launch) const override;
  Nanoseconds synchronised(TimePoint now) override { return memory_.synchronised(now); }

  /// Any launch, kernels as well, has ended in its stream.
  void ended(std::uint32_t launch, TimePoint now);

  const std::string& failure() const { return memory_.failure(); }

  void handle(EventKind kind, std::uint32_t launch, TimePoint now) override;

 private:
  void copy_started(std::uint32_t launch, TimePoint now) override { events_.started(plan_[launch].task, now); }
  void copy_ended(std::uint32_t launch, TimePoint now) override { end(launch, now); }
  void traffic_changed(int device, double traffic, TimePoint now) override;
  void memory_taken(int device, double change, TimePoint now) override;
  void tell_traffic(int device, TimePoint now);
  void takes_cores(std::uint32_t launch, TimePoint now) override { devices_.arrive(launch, now); }
  void collective_ended(std::uint32_t launch, TimePoint now) override;
  Nanoseconds collective_call(std::uint32_t launch) const;
  void end(std::uint32_t launch, TimePoint now);
  const Task& task(std::uint32_t launch) const { return graph_[plan_[launch].task]; }

  const TaskGraph& graph_;
  const AsRun& machine_;
  const mechanism::Copies copy_times_;
  const mechanism::HostCalls& host_calls_;
  const std::vector<StreamLaunch>& plan_;
  const BodyCosts& costs_;
  Calendar& calendar_;
  RunEvents& events_;
  DeviceSet& devices_;
  Listener& listener_;
  std::vector<Transfer> transfers_;                    ///< by launch; empty where all are kernels
  std::vector<std::unique_ptr<CopyEngines>> engines_;  ///< by device; null where nothing is moved
  std::optional<Collectives> collectives_;
  /// Bytes a nanosecond of a device's memory.
  struct Traffic {
    double copies = 0;
    double ranks = 0;
  };
  std::vector<Traffic> traffic_;  ///< by device
  bool group_a_call_;             ///< each rank is called for by a thread of its own
  Allocations memory_;
  /// The thread that runs functions of the host has ended the last of them: one, or where ranks are launched apart one a device.
  std::vector<TimePoint> function_free_;
};

}  // namespace tasktwin::sim
