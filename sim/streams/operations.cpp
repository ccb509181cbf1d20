#include "sim/streams/operations.hpp"

#include <algorithm>

#include "models/checks/mechanisms.hpp"
#include "models/program/captured_copy.hpp"
#include "sim/cores/body_costs.hpp"

namespace tasktwin::sim {

namespace {

std::vector<Transfer> transfers(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan) {
  const TaskGraph& graph = inputs.graph;
  const int devices = inputs.machine.devices.count();
  std::vector<Transfer> transfers;
  if (!graph.has_operations()) return transfers;
  for (const StreamLaunch& launch : plan) {
    const Task& task = graph[launch.task];
    const bool to_peer = task.operation == Operation::kCopyP2p && devices > 1;
    transfers.push_back({.operation = task.operation,
                         .pageable = graph.traits(launch.task).pageable,
                         .bytes = task.cost.bytes,
                         .time = task.cost.time,
                         .device = launch.device,
                         .peer = to_peer ? task.args[2] : -1});
    if (inputs.program == nullptr) continue;
    if (const auto bytes = captured_bytes(graph, inputs.machine.constants(), *inputs.program, launch.task)) {
      transfers.back().captured = true;
      transfers.back().bytes = *bytes;
      transfers.back().time = Duration{0};
    }
  }
  return transfers;
}

}  // namespace

Operations::Operations(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, DeviceSet& devices, Listener& listener)
    : graph_(inputs.graph),
      machine_(inputs.machine),
      copy_times_(inputs.machine.copies.or_zero_unless(first_task(inputs.graph, reads_copies).has_value())),
      host_calls_(*inputs.machine.host_calls),
      plan_(plan),
      costs_(inputs.costs),
      calendar_(inputs.calendar),
      events_(inputs.events),
      devices_(devices),
      listener_(listener),
      transfers_(transfers(inputs, plan)),
      engines_(static_cast<std::size_t>(inputs.graph.devices())),
      traffic_(engines_.size()),
      group_a_call_(inputs.design.launching == Launching::kThreadPerDevice),
      memory_(inputs.graph, plan, inputs.machine, inputs.design, inputs.events),
      function_free_(engines_.size()) {
  for (const Transfer& transfer : transfers_) {
    std::unique_ptr<CopyEngines>& engines = engines_[static_cast<std::size_t>(transfer.device)];
    if (is_transfer(transfer.operation) && !engines)
      engines = std::make_unique<CopyEngines>(inputs.calendar, inputs.machine, transfers_, transfer.device,
                                              static_cast<CopyEngines::Listener&>(*this));
  }
  if (graph_.has_collectives()) collectives_.emplace(inputs, plan, devices.takes_ranks(), static_cast<Collectives::Listener&>(*this));
  for (int device = 0; collectives_ && device < graph_.devices(); ++device) devices_.watch_memory(device, collectives_->memory_of(device));
}

void Operations::traffic_changed(int device, double traffic, TimePoint now) {
  traffic_[static_cast<std::size_t>(device)].copies = traffic;
  tell_traffic(device, now);
}

void Operations::memory_taken(int device, double change, TimePoint now) {
  traffic_[static_cast<std::size_t>(device)].ranks += change;
  tell_traffic(device, now);
}

void Operations::tell_traffic(int device, TimePoint now) {
  const Traffic& traffic = traffic_[static_cast<std::size_t>(device)];
  listener_.traffic_changed(device, traffic.copies + std::max(traffic.ranks, 0.0), now);
}

std::vector<LaunchItem> Operations::items(const TaskGraph& graph, const std::vector<StreamLaunch>& plan) {
  std::vector<LaunchItem> items;
  if (!graph.has_operations()) return items;
  for (const StreamLaunch& launch : plan) {
    const Operation operation = graph[launch.task].operation;
    items.push_back(operation == Operation::kCopyH2d   ? LaunchItem::kCopyH2d
                    : operation == Operation::kCopyD2h ? LaunchItem::kCopyD2h
                    : operation == Operation::kCopyP2p ? LaunchItem::kCopyP2p
                    : is_allocation(operation)         ? LaunchItem::kMark
                    : operation == Operation::kHost    ? LaunchItem::kHost
                    : is_collective(operation)         ? LaunchItem::kRank
                                                       : LaunchItem::kKernel);
  }
  return items;
}

void Operations::arrive(std::uint32_t launch, bool turns, TimePoint now) {
  const Operation operation = task(launch).operation;
  if (is_transfer(operation)) return engines_[static_cast<std::size_t>(transfers_[launch].device)]->arrive(launch, turns, now);
  if (is_collective(operation)) return collectives_->arrive(launch, now);
  if (operation == Operation::kHost) {
    TimePoint& free = function_free_[group_a_call_ ? static_cast<std::size_t>(plan_[launch].device) : 0];
    const TimePoint start = std::max(now + round_ns(host_calls_.callback_latency), free);
    events_.started(plan_[launch].task, start);
    free = start + costs_.fixed(plan_[launch].task);
    calendar_.schedule(free, EventKind::kHostTask, launch, *this);
    return;
  }
  events_.started(plan_[launch].task, now);
  if (operation == Operation::kFree) memory_.passed(plan_[launch].task);
  end(launch, now);
}

void Operations::collective_ended(std::uint32_t launch, TimePoint now) {
  if (devices_.takes_ranks()) devices_.give_back(launch, now);
  listener_.operation_ended(launch, now);
}

void Operations::handle(EventKind /*kind*/, std::uint32_t launch, TimePoint now) { end(launch, now); }

void Operations::end(std::uint32_t launch, TimePoint now) {
  events_.ended(plan_[launch].task, now);
  listener_.operation_ended(launch, now);
}

HostCalls::Before Operations::waits_before(std::uint32_t launch) {
  if (is_allocation(task(launch).operation))
    return memory_.waits_for_device(plan_[launch].task, plan_[launch].stream) ? Before::kDevice : Before::kNothing;
  return returns_at_end(launch) ? Before::kStream : Before::kNothing;
}

Nanoseconds Operations::asks(std::uint32_t launch) {
  return is_allocation(task(launch).operation) ? memory_.asks(plan_[launch].task, plan_[launch].stream) : Nanoseconds{0};
}

std::optional<Nanoseconds> Operations::call(std::uint32_t launch, TimePoint now) {
  const Operation operation = task(launch).operation;
  if (is_allocation(operation)) return memory_.call(plan_[launch].task, plan_[launch].stream, now);
  memory_.launched(plan_[launch].stream);
  if (is_collective(operation)) return collective_call(launch);
  return operation == Operation::kHost ? host_calls_.sync : operation == Operation::kKernel ? host_calls_.launch : copy_times_.call;
}

/// The group is opened and closed by the thread that calls: once for all ranks, which follow each other, or once for each.
Nanoseconds Operations::collective_call(std::uint32_t launch) const {
  const auto number = [this](std::uint32_t of) { return is_collective(task(of).operation) ? task(of).args[1] : 0; };
  const bool opens = group_a_call_ || launch == 0 || number(launch - 1) != number(launch);
  const mechanism::Collectives& times = *machine_.collectives;
  return times.call + (opens ? times.group : Nanoseconds{0});
}

void Operations::ended(std::uint32_t launch, TimePoint now) {
  if (!is_allocation(task(launch).operation)) memory_.ended(plan_[launch].stream, now);
}

bool Operations::returns_at_end(std::uint32_t launch) const { return graph_.traits(plan_[launch].task).pageable; }

}  // namespace tasktwin::sim
