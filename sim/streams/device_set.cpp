#include "sim/streams/device_set.hpp"

#include <utility>

namespace tasktwin::sim {

namespace {

std::vector<TaskId> tasks_of(const std::vector<StreamLaunch>& plan, const std::vector<std::uint32_t>& launches) {
  std::vector<TaskId> tasks;
  tasks.reserve(launches.size());
  for (const std::uint32_t launch : launches) tasks.push_back(plan[launch].task);
  return tasks;
}

}  // namespace

DeviceSet::One::One(const WiringInputs& inputs, std::vector<std::uint32_t> kernels, const std::vector<StreamLaunch>& plan,
                    std::span<const std::uint8_t> levels, Device::Listener& listener, Meetings& meetings, int number)
    : kernels_(std::move(kernels)), listener_(listener), device_(inputs, tasks_of(plan, kernels_), levels, *this, meetings, number) {}

DeviceSet::DeviceSet(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, std::span<const std::uint8_t> levels,
                     Device::Listener& listener)
    : takes_ranks_(inputs.graph.devices() > 1 && inputs.graph.has_collectives() && inputs.machine.collectives->blocks > 0) {
  std::vector<std::vector<std::uint32_t>> launches(static_cast<std::size_t>(inputs.graph.devices()));
  const bool several = launches.size() > 1;
  if (several) device_of_.resize(plan.size()), own_number_.resize(plan.size());
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    std::vector<std::uint32_t>& own = launches[static_cast<std::size_t>(plan[i].device)];
    const Operation operation = inputs.graph[plan[i].task].operation;
    if (several && operation != Operation::kKernel && !(takes_ranks_ && is_collective(operation))) continue;
    if (several) device_of_[i] = static_cast<std::uint32_t>(plan[i].device), own_number_[i] = static_cast<std::uint32_t>(own.size());
    own.push_back(i);
  }
  if (!several) {
    only_.emplace(inputs, tasks_of(plan, launches.front()), levels, listener, meetings_);
    return;
  }
  for (std::size_t number = 0; number < launches.size(); ++number)
    devices_.push_back(
        std::make_unique<One>(inputs, std::move(launches[number]), plan, levels, listener, meetings_, static_cast<int>(number)));
}

void DeviceSet::begin_again() {
  if (only_) return only_->begin_again();
  for (const std::unique_ptr<One>& one : devices_) one->device().begin_again();
}

CoreId DeviceSet::core_of(std::uint32_t kernel) const {
  return only_ ? only_->core_of(kernel) : devices_[device_of_[kernel]]->device().core_of(own_number_[kernel]);
}

void DeviceSet::leave_bandwidth(int device, double bandwidth, TimePoint now) {
  (only_ ? *only_ : devices_[static_cast<std::size_t>(device)]->device()).leave_bandwidth(bandwidth, now);
}

void DeviceSet::watch_memory(int device, MemoryBandwidth::Watcher& watcher) {
  (only_ ? *only_ : devices_[static_cast<std::size_t>(device)]->device()).watch_memory(watcher);
}

void DeviceSet::give_back(std::uint32_t rank, TimePoint now) { devices_[device_of_[rank]]->device().give_back(own_number_[rank], now); }

void DeviceSet::watch(std::uint32_t kernel) {
  if (only_) return only_->watch(kernel);
  devices_[device_of_[kernel]]->device().watch(own_number_[kernel]);
}

void DeviceSet::come(std::uint32_t kernel, TimePoint now) {
  if (only_) return only_->come(kernel, now);
  devices_[device_of_[kernel]]->device().come(own_number_[kernel], now);
}

void DeviceSet::arrive(std::uint32_t kernel, TimePoint now) {
  if (only_) return only_->arrive(kernel, now);
  devices_[device_of_[kernel]]->device().arrive(own_number_[kernel], now);
}

}  // namespace tasktwin::sim
